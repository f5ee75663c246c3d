import type { TypedDataDefinition } from 'viem'
import { type EthAccount, signatureBytes } from '../../../hub/registry/eth-account.js'
import { type AddedKey, keyAdditionData } from '../../../hub/registry/key-addition.js'
import { DAY_SECONDS } from '../../../platform/durations.js'
import { recoverAccount } from '../../../protocol/account-recovery.js'
import { hexOf } from '../../../protocol/bytes.js'
import { recoverSigner } from '../../../protocol/kinds/typed-data.js'
import { idGatewayRegister, idRegistryTransfer, keyRegistryRemove } from '../../../protocol/signed-types.js'
import type { AccountLedger, NonceContract, SignedAuthorization } from './account-ledger.js'

/**
 * EIP-712 data that the holder of an address signs so that another account may send and pay for the
 * transaction.
 *
 * Uses the domains of the real contracts on every network (docs/protocol.md §5.3). Addresses have 20 bytes.
 */
export type Authorization = TypedDataDefinition

/** The next nonce of the signer at the contract, and the deadline in Unix seconds. */
export interface Validity {
  readonly nonce: bigint
  readonly deadline: number
}

type Valid<Subject> = Subject & Validity

/** A transaction may wait for a day. */
export const AUTHORIZATION_SECONDS = DAY_SECONDS

/** `Register` of the id gateway: `to` receives a new fid. */
export function registerAuthorization(subject: Valid<{ to: Buffer; recovery: Buffer }>): Authorization {
  const message = { to: hexOf(subject.to), recovery: hexOf(subject.recovery), ...numbersOf(subject) }
  return { ...idGatewayRegister, primaryType: 'Register', message }
}

/** `Transfer` of the id registry: sender and receiver sign the same data with their own nonces. */
export function transferAuthorization(subject: Valid<{ fid: number; to: Buffer }>): Authorization {
  const message = { fid: BigInt(subject.fid), to: hexOf(subject.to), ...numbersOf(subject) }
  return { ...idRegistryTransfer, primaryType: 'Transfer', message }
}

/** `Add` of the key gateway: authorizes the key for the fid of `owner`. */
export function addKeyAuthorization({
  added,
  ...rest
}: Valid<{ owner: Buffer; added: AddedKey }>): Authorization {
  return keyAdditionData({ ...added, ...rest })
}

/** `Remove` of the key registry: withdraws the key from the fid of `owner`. */
export function removeKeyAuthorization(subject: Valid<{ owner: Buffer; key: Buffer }>): Authorization {
  const message = { owner: hexOf(subject.owner), key: hexOf(subject.key), ...numbersOf(subject) }
  return { ...keyRegistryRemove, primaryType: 'Remove', message }
}

function numbersOf({ nonce, deadline }: Validity) {
  return { nonce, deadline: BigInt(deadline) }
}

/** Signs as the holder of an address; returns 65 bytes. */
export async function signAuthorization(data: Authorization, { signer }: EthAccount): Promise<Buffer> {
  return signatureBytes(await signer.signTypedData(data))
}

/** Signs as the holder of an address with its next nonce, valid for a day from `nowMs`. */
export async function authorize(
  ledger: Pick<AccountLedger, 'nonceOf'>,
  { contract, holder, nowMs }: { contract: NonceContract; holder: EthAccount; nowMs: number },
  dataOf: (validity: Validity) => Authorization,
): Promise<SignedAuthorization> {
  const { address } = holder
  const deadline = Math.floor(nowMs / 1000) + AUTHORIZATION_SECONDS
  const nonce = await ledger.nonceOf(contract, address)
  return { address, deadline, signature: await signAuthorization(dataOf({ nonce, deadline }), holder) }
}

/** Whether this address (20 bytes) signed the authorization. */
export async function isAuthorizedBy(
  authorization: Authorization,
  signature: Buffer,
  address: Buffer,
): Promise<boolean> {
  const signer = await recoverSigner(authorization, signature, recoverAccount)
  return signer?.equals(address) ?? false
}
