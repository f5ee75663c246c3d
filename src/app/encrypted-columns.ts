import { fidPoolKeyContext } from '../features/accounts/fid-pool/fid-orders.js'
import { walletKeyContext } from '../features/accounts/wallets/wallets.js'
import { custodyKeyContext } from '../features/apps/custody-key.js'
import { signerKeyContext } from '../features/signers/signer-record.js'
import { webhookSecretContext } from '../features/webhooks/secrets.js'
import type { Database } from '../platform/db/connection.js'
import { PlazaError } from '../platform/errors.js'
import type { Log } from '../platform/log/log.js'
import type { Vault } from '../platform/vault/vault.js'

/** A database column with values that the vault has encrypted. `name` is the column that identifies a row. */
export interface EncryptedColumn {
  readonly table: string
  readonly name: string
  readonly encrypted: string
  readonly contextOf: (name: string) => string
}

/** All encrypted columns. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'signers.signers', name: 'id', encrypted: 'sealed_key', contextOf: signerKeyContext },
  { table: 'webhooks.secrets', name: 'uid', encrypted: 'sealed', contextOf: webhookSecretContext },
  { table: 'accounts.fid_pool', name: 'id', encrypted: 'sealed_key', contextOf: fidPoolKeyContext },
  { table: 'accounts.wallets', name: 'id', encrypted: 'sealed_key', contextOf: walletKeyContext },
  { table: 'apps.apps', name: 'id', encrypted: 'sealed_custody_key', contextOf: custodyKeyContext },
]

/** Rows per statement. */
const BATCH = 500

/** The result of a run over a column. */
export interface Reencryption {
  readonly reencrypted: number
  /** Values that no key of the vault decrypts, which are unchanged. */
  readonly unreadable: number
}

/**
 * Re-encrypts values of older keys with the current key. Each batch is one statement, so a second run
 * continues after an interruption. Rows that others change meanwhile are skipped: others use the current key.
 *
 * @param onBatch Receives the number of re-encrypted rows of each batch.
 */
export async function reencrypt(
  db: Database,
  vault: Vault,
  column: EncryptedColumn,
  { signal, onBatch }: { readonly signal: AbortSignal; readonly onBatch: (count: number) => void },
): Promise<Reencryption> {
  if (vault.keyId === null) throw new PlazaError('not_configured', 'there is no PLAZA_SECRET_KEY')
  const [table, name, encrypted] = [db(column.table), db(column.name), db(column.encrypted)]
  const olderKeyIds = vault.keyIds.filter((id) => !id.equals(vault.keyId!))
  const damaged: string[] = []
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const rows = await db<SealedRow[]>`
      select ${name}::text as name, ${encrypted} as previous
      from ${table}
      where ${encrypted} is not null and ${keyIdOf(db, column)} = any(${db.types.byteas(olderKeyIds)}::bytea[])
        and ${name}::text <> all(${db.types.texts(damaged)}::text[])
      limit ${BATCH}`
    if (rows.length === 0) {
      return { reencrypted: total, unreadable: damaged.length + (await countUnreadable(db, vault, column)) }
    }
    const readable = rows.flatMap((row) => {
      const reencrypted = reencryptedValue(vault, column, row)
      if (reencrypted === null) damaged.push(row.name)
      return reencrypted === null ? [] : [{ ...row, reencrypted }]
    })
    await db`
      update ${table}
      set ${encrypted} = input.reencrypted
      from unnest(
        ${db.types.texts(readable.map((row) => row.name))}::text[],
        ${db.types.byteas(readable.map((row) => row.previous))}::bytea[],
        ${db.types.byteas(readable.map((row) => row.reencrypted))}::bytea[]
      ) as input (name, previous, reencrypted)
      where ${table}.${name}::text = input.name and ${encrypted} = input.previous`
    total += readable.length
    onBatch(readable.length)
  }
}

interface SealedRow {
  readonly name: string
  readonly previous: Buffer
}

/** Null if the value is damaged: its key is known, and does not decrypt it. */
function reencryptedValue(vault: Vault, column: EncryptedColumn, row: SealedRow): Buffer | null {
  const secretContext = column.contextOf(row.name)
  try {
    return vault.seal(vault.open(row.previous, secretContext), secretContext)
  } catch {
    return null
  }
}

/** The id of the key of a value, which is behind its version (`vault.ts`). */
function keyIdOf(db: Database, column: EncryptedColumn) {
  return db`substr(${db(column.encrypted)}, 2, 4)`
}

/**
 * Looks for secrets that no key of this server decrypts, such as after a restore without `secret.key`: what needs them fails.
 * Reads whole tables, one after another, for which neither a start nor a stop waits: closing the connections ends it.
 */
export async function lookForMissingKeys(db: Database, vault: Vault, log: Log): Promise<void> {
  await warnOfMissingKeys(db, vault, log).catch((error: unknown) => {
    log.info({ err: error }, 'could not look for secrets that no key decrypts')
  })
}

async function warnOfMissingKeys(db: Database, vault: Vault, log: Log): Promise<void> {
  const counts: number[] = []
  for (const column of encryptedColumns) counts.push(await countUnreadable(db, vault, column))
  const secrets = counts.reduce((sum, count) => sum + count, 0)
  if (secrets === 0) return
  const tables = Object.fromEntries(
    encryptedColumns.map(({ table }, n) => [table, counts[n]]).filter(([, count]) => count !== 0),
  )
  log.warn(
    tables,
    `${secrets} secrets in the database were encrypted with a key that this server does not have: ` +
      'add that key to PLAZA_SECRET_KEY or, where this is not set, put secret.key of the data directory back from a backup',
  )
}

async function countUnreadable(db: Database, vault: Vault, column: EncryptedColumn): Promise<number> {
  const [table, encrypted] = [db(column.table), db(column.encrypted)]
  const [row] = await db<[{ count: number }]>`
    select count(*)::integer as count
    from ${table}
    where ${encrypted} is not null and ${keyIdOf(db, column)} <> all(${db.types.byteas(vault.keyIds)}::bytea[])`
  return row.count
}
