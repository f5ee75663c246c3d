import type { Database } from '../../platform/db/connection.js'
import { PlazaError, refusalError } from '../../platform/errors.js'
import { MessageType, Protocol } from '../../protocol/definitions.js'
import { checkVerificationClaim } from '../../protocol/kinds/verification.js'
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

/** Request members by the wording of the protocol's errors. */
const memberPatterns: readonly (readonly [text: RegExp, member: string])[] = [
  [/contract signatures/, 'verification_type'],
  [/claimSignature/, 'eth_signature'],
  [/blockHash/, 'block_hash'],
  [/address/, 'address'],
]

/**
 * Verifies an address; the hub checks the signature.
 *
 * @throws PlazaError For the hub's refusal, with the invalid member. A contract's signature is always
 * refused, since it can only be checked on the chain.
 */
export async function publishVerification(
  publisher: Publisher,
  author: Author,
  claim: AddressClaim,
  /** For a contract 1, with its chain; for an account 0. */
  { chainId, verificationType }: { readonly chainId: number; readonly verificationType: number },
): Promise<void> {
  const statement = {
    type: MessageType.VERIFICATION_ADD_ETH_ADDRESS,
    verificationAddAddressBody: { ...claimBody(claim), chainId, verificationType },
  }
  const [outcome] = await publishChanges(publisher, author, [statement])
  const refusal = outcome?.refusal
  if (refusal) throw refusalError(refusal, memberPatterns.find(([text]) => text.test(refusal.message))?.[1])
}

/**
 * Removes a verified address.
 *
 * The protocol needs only the user's key. A signature in the request is still checked as for an added
 * address.
 *
 * @throws PlazaError `not_found` for an address that the user never verified.
 */
export async function removeVerification(
  publisher: Publisher,
  author: Author,
  claim: AddressClaim,
): Promise<void> {
  const body = { ...claimBody(claim), chainId: 0, verificationType: 0 }
  const statement = {
    type: MessageType.VERIFICATION_REMOVE,
    verificationRemoveBody: { address: claim.address, protocol: Protocol.ETHEREUM },
  }
  const data = messageData(publisher, author, statement, farcasterNow(publisher))
  const problem = await checkVerificationClaim(body, data)
  if (problem !== null) throw validationError('eth_signature', problem)
  if (!(await wasVerified(publisher.writerDb, author.fid, claim.address))) {
    throw new PlazaError('not_found', 'the user has not verified this address', { property: 'address' })
  }
  await publishChange(publisher, author, statement)
}

function claimBody({ address, blockHash, signature }: AddressClaim) {
  return { address, blockHash, claimSignature: signature, protocol: Protocol.ETHEREUM }
}

async function wasVerified(db: Database, fid: number, address: Buffer): Promise<boolean> {
  const rows = await db`
    select from hub.messages
    where fid = ${fid}::bigint and set = ${MessageSet.verifications} and key = ${address}
  `
  return rows.length > 0
}
