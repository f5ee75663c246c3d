import { TestUser } from '../../../../test/network.js'
import type { Hub } from '../../../hub/hub.js'
import { ethAccount, newPrivateKey } from '../../../hub/registry/eth-account.js'
import type { Database } from '../../../platform/db/connection.js'
import { authKeyOf } from '../../../protocol/auth-key.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { SignerEventType } from '../../../protocol/definitions.js'
import type { JsonSignature } from '../../../protocol/json-signature.js'
import { type KeyHolder, registerKeyHolder } from '../../signers/testing/key-holder.js'

/** The signing wallet and its role, and whether the signature is sent as text or bytes. */
interface EventAddress {
  readonly type: 'custody' | 'auth'
  readonly holder: KeyHolder
  readonly isText: boolean
}

/** Builds an event signed by a wallet with `personal_sign`. */
export async function signWithWallet(
  { type, holder, isText }: EventAddress,
  payload: object,
): Promise<JsonSignature> {
  const { signer } = holder.account
  const [header, body] = [{ fid: holder.fid, type, key: signer.address }, payload].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  ) as [string, string]
  const hex = await signer.signMessage({ message: `${header}.${body}` })
  const signature = Buffer.from(isText ? hex : hex.slice(2), isText ? 'latin1' : 'hex').toString('base64url')
  return { header, payload: body, signature }
}

/** Registers a user and returns wallets of its custody address and an auth address (ABI word form). */
export async function registerAddressHolders(parts: {
  readonly db: Database
  readonly hub: Pick<Hub, 'submitOnChainEvents' | 'submitNameTransfers'>
  readonly clock: () => number
}): Promise<Readonly<Record<EventAddress['type'], KeyHolder>>> {
  const custody = await registerKeyHolder(parts)
  const account = ethAccount(newPrivateKey())
  const key = authKeyOf(bytesOfHex(account.signer.address))
  const event = new TestUser(custody.fid).signerEvent(SignerEventType.ADD, 700_000 + custody.fid, key)
  const added = { ...event, signerEventBody: { ...event.signerEventBody!, keyType: 2 } }
  const [refusal] = await parts.hub.submitOnChainEvents([added])
  if (refusal) throw new Error(refusal.message)
  return { custody, auth: { fid: custody.fid, account } }
}
