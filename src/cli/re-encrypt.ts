import { fidPoolKeyContext } from '../features/accounts/fid-pool/fid-pool-key.js'
import { walletKeyContext } from '../features/accounts/wallets/wallets.js'
import { signerKeyContext } from '../features/signers/create-signer.js'
import { webhookSecretContext } from '../features/webhooks/secrets.js'
import type { Database } from '../platform/db/connection.js'
import { PlazaError } from '../platform/errors.js'
import type { Vault } from '../platform/vault/vault.js'

/** A column of the database whose values the vault has sealed, by the row's name. */
export interface EncryptedColumn {
  readonly table: string
  readonly name: string
  readonly encrypted: string
  readonly contextOf: (name: string) => string
}

/** Every one there is. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'signers.signers', name: 'id', encrypted: 'sealed_key', contextOf: signerKeyContext },
  { table: 'webhooks.secrets', name: 'uid', encrypted: 'sealed', contextOf: webhookSecretContext },
  { table: 'accounts.fid_pool', name: 'id', encrypted: 'sealed_key', contextOf: fidPoolKeyContext },
  { table: 'accounts.wallets', name: 'id', encrypted: 'sealed_key', contextOf: walletKeyContext },
]

/** So many are opened and sealed at a time. */
const BATCH = 500

/**
 * Seals everything that an older key has sealed with the current one, in batches, each of which is a statement of its
 * own: stopped, it goes on where it was. What is changed by others meanwhile is left to them, who use the current key.
 *
 * @param onBatch Told how many more are done.
 * @returns How many there were.
 * @throws Error when something was sealed with a key that the vault does not have.
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
      set ${encrypted} = given.fresh
      from unnest(
        ${db.types.texts(rows.map((row) => row.name))}::text[],
        ${db.types.byteas(rows.map((row) => row.previous))}::bytea[],
        ${db.types.byteas(reencrypted)}::bytea[]
      ) as given (name, old, fresh)
      where ${table}.${name}::text = given.name and ${encrypted} = given.old`
    total += rows.length
    onBatch(rows.length)
  }
}
