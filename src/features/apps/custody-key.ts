import { type EthAccount, ethAccount } from '../../hub/registry/eth-account.js'
import type { Queryable } from '../../platform/db/connection.js'
import { PlazaError } from '../../platform/errors.js'
import type { Vault } from '../../platform/vault/vault.js'
import { hexOf } from '../../protocol/bytes.js'

/** An app by id (a UUID), with what encrypts its custody key. */
interface CustodyKeyContext {
  readonly db: Queryable
  readonly vault: Vault
}

/** Names the custody key of an app for the vault. */
export const custodyKeyContext = (appId: string): string => `app ${appId}`

/**
 * Stores the private key of the custody address of an app's fid, encrypted. With it the server signs the
 * app's requests for keys when users sign in with a browser.
 *
 * @param privateKey 32 bytes.
 * @returns False for an unknown app.
 * @throws PlazaError `conflict` unless the key holds the app's fid; `not_configured` without a vault.
 */
export async function saveCustodyKey(
  { db, vault }: CustodyKeyContext,
  appId: string,
  privateKey: Buffer,
): Promise<boolean> {
  const sealed = vault.seal(privateKey, custodyKeyContext(appId))
  const [app] = await db<{ fid: number | null; custody: Buffer | null }[]>`
    select a.fid, f.custody_address as custody
    from apps.apps a
    left join hub.fids f on f.fid = a.fid
    where a.id = ${appId}`
  if (app === undefined) return false
  if (app.fid === null) throw keyError('the app has no fid: set it first')
  const { address } = accountOf(privateKey)
  if (!app.custody?.equals(address)) {
    throw keyError(`this is the key of ${hexOf(address)}, which is not the custody address of fid ${app.fid}`)
  }
  await db`update apps.apps set sealed_custody_key = ${sealed} where id = ${appId}`
  return true
}

/** Deletes the custody key of an app. Returns false for an unknown app. */
export async function deleteCustodyKey(db: Queryable, appId: string): Promise<boolean> {
  const { count } = await db`update apps.apps set sealed_custody_key = null where id = ${appId}`
  return count > 0
}

/** Decrypts the custody key of an app as a signing account; null when the server has none. */
export async function openCustodyKey(
  { db, vault }: CustodyKeyContext,
  appId: string,
): Promise<EthAccount | null> {
  const [app] = await db<{ sealed: Buffer | null }[]>`
    select sealed_custody_key as sealed from apps.apps where id = ${appId}`
  return app?.sealed ? ethAccount(vault.open(app.sealed, custodyKeyContext(appId))) : null
}

function accountOf(privateKey: Buffer): EthAccount {
  try {
    return ethAccount(privateKey)
  } catch {
    // Zero, or the order of the curve and above. The error of the library must not repeat the key.
    throw new PlazaError('bad_request.invalid_param', 'custody_key is not a private key of secp256k1', {
      property: 'custody_key',
    })
  }
}

function keyError(message: string): PlazaError {
  return new PlazaError('conflict', message, { property: 'custody_key' })
}
