import type { Command } from 'commander'
import { openVault } from '../app/open-vault.js'
import { fidPoolKeyContext } from '../features/accounts/fid-pool/fid-orders.js'
import { walletKeyContext } from '../features/accounts/wallets/wallets.js'
import { custodyKeyContext } from '../features/apps/custody-key.js'
import { signerKeyContext } from '../features/signers/signer-record.js'
import { webhookSecretContext } from '../features/webhooks/secrets.js'
import type { Database } from '../platform/db/connection.js'
import { PlazaError } from '../platform/errors.js'
import type { Vault } from '../platform/vault/vault.js'
import { type CommandContext, loadConfig, UsageError } from './context.js'
import { stopSignal } from './long-command.js'
import { withDatabase } from './with-database.js'

/** `plaza secret rotate` */
export function addSecretCommand(program: Command, context: CommandContext): void {
  program
    .command('secret')
    .description('manage encrypted secrets in the database')
    .command('rotate')
    .description(
      're-encrypt all secrets with the first key of PLAZA_SECRET_KEY; continues after an interruption',
    )
    .action(() => reencryptAll(context))
}

async function reencryptAll(context: CommandContext): Promise<void> {
  const vault = await openVault(loadConfig(context))
  if (vault.keyId === null) throw new UsageError('there is no encryption key: set PLAZA_SECRET_KEY')
  const signal = stopSignal(context)
  await withDatabase(context, 'secret', async (db) => {
    for (const column of encryptedColumns) {
      let done = 0
      const onBatch = (count: number) => {
        done += count
        context.progress.write(`${column.table}: ${done}\n`)
      }
      context.print(
        `${column.table}: ${await reencrypt(db, vault, column, { signal, onBatch })} re-encrypted`,
      )
    }
  })
}

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

/**
 * Re-encrypts values of older keys with the current key. Each batch is one statement, so a second run
 * continues after an interruption. Rows that others change meanwhile are skipped: others use the current key.
 *
 * @param onBatch Receives the number of rows of each batch.
 * @returns The number of re-encrypted rows.
 * @throws Error if the vault lacks the key of a value.
 */
export async function reencrypt(
  db: Database,
  vault: Vault,
  column: EncryptedColumn,
  { signal, onBatch }: { readonly signal: AbortSignal; readonly onBatch: (count: number) => void },
): Promise<number> {
  if (vault.keyId === null) throw new PlazaError('not_configured', 'there is no PLAZA_SECRET_KEY')
  const [table, name, encrypted] = [db(column.table), db(column.name), db(column.encrypted)]
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const rows = await db<{ name: string; previous: Buffer }[]>`
      select ${name}::text as name, ${encrypted} as previous
      from ${table}
      where ${encrypted} is not null and substr(${encrypted}, 2, ${vault.keyId.length}) <> ${vault.keyId}::bytea
      limit ${BATCH}`
    if (rows.length === 0) return total
    const reencrypted = rows.map((row) => {
      const secretContext = column.contextOf(row.name)
      return vault.seal(vault.open(row.previous, secretContext), secretContext)
    })
    await db`
      update ${table}
      set ${encrypted} = input.reencrypted
      from unnest(
        ${db.types.texts(rows.map((row) => row.name))}::text[],
        ${db.types.byteas(rows.map((row) => row.previous))}::bytea[],
        ${db.types.byteas(reencrypted)}::bytea[]
      ) as input (name, previous, reencrypted)
      where ${table}.${name}::text = input.name and ${encrypted} = input.previous`
    total += rows.length
    onBatch(rows.length)
  }
}
