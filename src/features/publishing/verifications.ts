import type { Database } from '../../platform/db/connection.js'
import { PlazaError, refusalError } from '../../platform/errors.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { MessageType, Protocol } from '../../protocol/definitions.js'
import { checkVerificationClaim, VerificationType } from '../../protocol/kinds/verification.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { type Author, farcasterNow, messageData, type Publisher, validationError } from './author.js'
import { publishChange, publishChanges } from './changes.js'

/** An Ethereum address and its owner's claim. */
export interface AddressClaim {
  readonly address: Buffer
  readonly blockHash: Buffer
  /** Signature over the VerificationClaim (docs/protocol.md §3.3.6). */
  readonly signature: Buffer
}

/** An address to remove, and its owner's claim if the request has one. */
export type RemovedAddress = Pick<AddressClaim, 'address'> & { readonly claim: AddressClaim | null }

/** Request members by the wording of the protocol's errors. */
const memberPatterns: readonly (readonly [text: RegExp, member: string])[] = [
  [/chain id/, 'chain_id'],
  [/No client configured|verification type/, 'verification_type'],
  [/claimSignature/, 'eth_signature'],
  [/blockHash/, 'block_hash'],
  [/address/, 'address'],
]

/**
 * Verifies an address; the hub checks the signature.
 *
 * An address that is verified the same way already stays so, whatever block its owner has signed now: a message that
 * replaces another one would revoke the primary address.
 *
 * @throws PlazaError For the hub's refusal, with the invalid member. A contract's signature is checked on its
 * chain, and refused as `not_configured` without one.
 */
export async function publishVerification(
  publisher: Publisher,
  author: Author,
  claim: AddressClaim,
  /** For a contract 1, with its chain; for an account 0. */
  { chainId, verificationType }: { readonly chainId: number; readonly verificationType: number },
): Promise<void> {
  const body = { ...claimBody(claim), chainId, verificationType }
  const content = { type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody: body }
  const stored = await findVerification(publisher.writerDb, author.fid, claim.address)
  const current = stored?.data.verificationAddAddressBody
  if (current?.verificationType === verificationType && current.chainId === chainId) {
    const data = messageData(publisher, author, content, farcasterNow(publisher))
    const problem = await checkVerificationClaim(body, data)
    if (problem !== null) throw validationError('eth_signature', problem)
    return
  }
  const [outcome] = await publishChanges(publisher, author, [content])
  const refusal = outcome?.refusal
  if (refusal) throw refusalError(refusal, memberPatterns.find(([text]) => text.test(refusal.message))?.[1])
}

/**
 * Removes a verified address.
 *
 * The protocol needs only the user's key. The signature of an account, if the request has one, is still checked as for an added
 * address; that of a contract wallet is not, which has answered when the address was added.
 *
 * @throws PlazaError `not_found` for an address that the user never verified.
 */
export async function removeVerification(
  publisher: Publisher,
  author: Author,
  { address, claim }: RemovedAddress,
): Promise<void> {
  const content = {
    type: MessageType.VERIFICATION_REMOVE,
    verificationRemoveBody: { address, protocol: Protocol.ETHEREUM },
  }
  const data = messageData(publisher, author, content, farcasterNow(publisher))
  const stored = await findVerification(publisher.writerDb, author.fid, address)
  const isContract = stored?.data.verificationAddAddressBody?.verificationType === VerificationType.contract
  if (claim !== null && !isContract) {
    const body = { ...claimBody(claim), chainId: 0, verificationType: 0 }
    const problem = await checkVerificationClaim(body, data)
    if (problem !== null) throw validationError('eth_signature', problem)
  }
  if (stored === null) {
    throw new PlazaError('not_found', 'the user has not verified this address', { property: 'address' })
  }
  await publishChange(publisher, author, content)
}

function claimBody({ address, blockHash, signature }: AddressClaim) {
  return { address, blockHash, claimSignature: signature, protocol: Protocol.ETHEREUM }
}

/** Finds the stored verification or removal of an address. */
async function findVerification(db: Database, fid: number, address: Buffer): Promise<SignedMessage | null> {
  const [row] = await db<{ message: Buffer }[]>`
    select message
    from hub.messages
    where fid = ${fid}::bigint and set = ${MessageSet.verifications} and key = ${address}
  `
  return row === undefined ? null : decodeStoredMessage(row.message)
}
