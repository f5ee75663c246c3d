import type { Refusal } from '../platform/errors.js'
import type { UserNameProof } from '../protocol/definitions.js'
import type { SignedMessage } from '../protocol/message.js'
import { usernameOnChain } from './chain-claims/claim-state.js'
import { nameNotHeld } from './sender-refusals.js'

/** The current transfer of a name, null if it has none, or why that is not known. */
export type FoundName = { readonly proof: UserNameProof | null } | { readonly refusal: Refusal }

/** Asks the fname registry for a name on behalf of a user. */
export type FindName = (name: string, fid: number) => Promise<FoundName>

/** Finds no name, without a request. */
export const findNoName: FindName = async () => ({ proof: null })

/** Allows one lookup: a submission of many messages costs the registry one request. */
export function limitToOneLookup(findName: FindName = findNoName): FindName {
  let isUsed = false
  return async (name, fid) => {
    if (isUsed) return { proof: null }
    isUsed = true
    return await findName(name, fid)
  }
}

/**
 * Merges a message. If it is refused because the hub does not know that its sender has an fname, the registry is asked, which may
 * have given the name a moment ago: its transfer is merged, and the message once more.
 *
 * @param merge Merges the message; returns its refusal.
 */
export async function mergeWithName(
  message: SignedMessage,
  merge: () => Promise<Refusal | null>,
  options: {
    readonly findName: FindName
    readonly mergeTransfer: (proof: UserNameProof) => Promise<unknown>
  },
): Promise<Refusal | null> {
  const refusal = await merge()
  const name = refusal && unknownFname(message, refusal)
  if (!name) return refusal
  const found = await options.findName(name, message.data.fid)
  if ('refusal' in found) return found.refusal
  if (found.proof === null) return refusal
  // Refused where the importer was faster.
  await options.mergeTransfer(found.proof)
  return await merge()
}

/** The fname that a refused message names, if its sender does not hold it; names on chains have proofs of their own. */
function unknownFname(message: SignedMessage, refusal: Refusal): string | null {
  if (refusal.message !== nameNotHeld.message || usernameOnChain(message) !== null) return null
  return message.data.userDataBody?.value ?? null
}
