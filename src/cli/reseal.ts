import { shelfKeyPlace } from '../features/accounts/shelf/shelf-key.js'
import { walletKeyPlace } from '../features/accounts/wallets/wallet-key.js'
import { sealedKeyPlace } from '../features/signers/sealed-key.js'
import { webhookSecretPlace } from '../features/webhooks/secrets.js'
import type { Database } from '../platform/db/connection.js'
import { PlazaError } from '../platform/errors.js'
import type { Vault } from '../platform/vault/vault.js'

/** A column of the database whose values the vault has sealed, by the row's name. */
export interface SealedColumn {
  readonly table: string
  readonly name: string
  readonly sealed: string
  readonly placeOf: (name: string) => string
}

/** Every one there is. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'signers.signers', name: 'id', sealed: 'sealed_key', placeOf: sealedKeyPlace },
  { table: 'webhooks.secrets', name: 'uid', sealed: 'sealed', placeOf: webhookSecretPlace },
  { table: 'accounts.shelf', name: 'id', sealed: 'sealed_key', placeOf: shelfKeyPlace },
  { table: 'accounts.wallets', name: 'id', sealed: 'sealed_key', placeOf: walletKeyPlace },
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
export async function reseal(
  db: Database,
  vault: Vault,
  column: SealedColumn,
  { signal, onBatch }: { readonly signal: AbortSignal; readonly onBatch: (count: number) => void },
): Promise<number> {
  if (vault.keyId === null) throw new PlazaError('not_configured', 'there is no PLAZA_SECRET_KEY')
  const [table, name, sealed] = [db(column.table), db(column.name), db(column.sealed)]
  let total = 0
  for (;;) {
    signal.throwIfAborted()
    const rows = await db<{ name: string; old: Buffer }[]>`
      select ${name}::text as name, ${sealed} as old
      from ${table}
      where ${sealed} is not null and substr(${sealed}, 2, ${vault.keyId.length}) <> ${vault.keyId}::bytea
      limit ${BATCH}`
    if (rows.length === 0) return total
    const fresh = rows.map((row) => {
      const place = column.placeOf(row.name)
      return vault.seal(vault.open(row.old, place), place)
    })
    await db`
      update ${table}
      set ${sealed} = given.fresh
      from unnest(
        ${db.types.texts(rows.map((row) => row.name))}::text[],
        ${db.types.byteas(rows.map((row) => row.old))}::bytea[],
        ${db.types.byteas(fresh)}::bytea[]
      ) as given (name, old, fresh)
      where ${table}.${name}::text = given.name and ${sealed} = given.old`
    total += rows.length
    onBatch(rows.length)
  }
}
