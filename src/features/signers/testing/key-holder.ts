import type { Hub } from '../../../hub/hub.js'
import {
  type EthAccount,
  ethAccount,
  newPrivateKey,
  signatureBytes,
} from '../../../hub/registry/eth-account.js'
import { signKeyRequest } from '../../../hub/registry/key-request.js'
import { LocalRegistry } from '../../../hub/registry/registry.js'
import type { Database } from '../../../platform/db/connection.js'
import { isRefusal } from '../../../platform/errors.js'
import { bytesOfHex, hexOf } from '../../../protocol/bytes.js'

/** An account whose custody key the test holds: a requesting app or an approving user. */
export interface KeyHolder {
  readonly fid: number
  readonly account: EthAccount
}

/** Registers an account with its own custody key on the local network. */
export async function registerKeyHolder(
  context: {
    readonly db: Database
    readonly hub: Pick<Hub, 'submitOnChainEvents' | 'submitNameTransfers'>
    readonly clock: () => number
  },
  account: EthAccount = ethAccount(newPrivateKey()),
): Promise<KeyHolder> {
  const created = await new LocalRegistry(context).createFid(account.address)
  if (isRefusal(created)) throw new Error(created.message)
  return { fid: created.fid, account }
}

/** The body of a key request without the name of the key. */
export interface KeyRequestBody {
  readonly app_fid: number
  readonly deadline: number
  readonly signature: `0x${string}`
}

/**
 * Signs an app's request for a key (32 bytes, in hex).
 *
 * @param deadline Unix seconds.
 */
export async function signKeyRequestBody(
  app: KeyHolder,
  publicKey: string,
  deadline: number,
): Promise<KeyRequestBody> {
  const key = bytesOfHex(publicKey)
  const { signature } = await signKeyRequest({ requestFid: app.fid, key, deadline }, app.account)
  return { app_fid: app.fid, deadline, signature: hexOf(signature) }
}

/** Signs an app's signature, as a sponsor does. */
export async function sponsorSignature(
  sponsor: KeyHolder,
  appSignature: `0x${string}`,
): Promise<`0x${string}`> {
  return hexOf(signatureBytes(await sponsor.account.signer.signMessage({ message: { raw: appSignature } })))
}
