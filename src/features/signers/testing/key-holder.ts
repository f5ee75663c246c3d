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
import { hexOf } from '../../../protocol/bytes.js'

/** Somebody whose custody key the test holds: an app that asks for keys, or a user who approves them. */
export interface KeyHolder {
  readonly fid: number
  readonly account: EthAccount
}

/** Registers an account with a custody key of its own on the local network. */
export async function registerKeyHolder(
  context: {
    readonly db: Database
    readonly hub: Pick<Hub, 'submitOnChainEvents' | 'submitNameTransfers'>
    readonly clock: () => number
  },
  account: EthAccount = ethAccount(newPrivateKey()),
): Promise<KeyHolder> {
  const created = await new LocalRegistry(context).createFid(account.address)
  if ('code' in created) throw new Error(created.message)
  return { fid: created.fid, account }
}

/** What an app sends to ask for a key, but for the name of the key. */
export interface KeyRequestBody {
  readonly app_fid: number
  readonly deadline: number
  readonly signature: `0x${string}`
}

/** The app signs a request for a key (32 bytes, in hex). @param deadline Unix seconds. */
export async function signKeyRequestBody(
  app: KeyHolder,
  publicKey: string,
  deadline: number,
): Promise<KeyRequestBody> {
  const key = Buffer.from(publicKey.slice(2), 'hex')
  const { signature } = await signKeyRequest({ requestFid: app.fid, key, deadline }, app.account)
  return { app_fid: app.fid, deadline, signature: hexOf(signature) }
}

/** Signs the bytes of an app's signature, as a sponsor does. */
export async function sponsorSignature(
  sponsor: KeyHolder,
  appSignature: `0x${string}`,
): Promise<`0x${string}`> {
  return hexOf(signatureBytes(await sponsor.account.signer.signMessage({ message: { raw: appSignature } })))
}
