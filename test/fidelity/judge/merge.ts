import base58 from 'bs58'
import { hex, shortFid } from './message.js'
import type { Decoded } from './schema.js'
import { type Changes, excess } from './sets.js'
import type { State, Stored } from './state.js'
import { limitOf } from './storage.js'

/** What follows from a merge: deletions, pruning and revocation. */

const PRIMARY_ETHEREUM = '11'
const PRIMARY_SOLANA = '12'

/** Applies the changes of a merge to the state: deletes before it puts. */
export function applyChanges(state: State, { deleted, put }: Changes): void {
  for (const stored of deleted) state.delete(stored)
  if (put !== null) state.put(put)
}

/**
 * Ends a loan, revokes what depended on a verification, and prunes the set of the message. Shard 0 prunes nothing:
 * neither loans nor, where channels are active, verifications.
 */
export function afterMerge(
  state: State,
  stored: Stored,
  { deleted }: Changes,
  nowUnix: number,
  hasChannels: boolean,
): void {
  if (stored.set === 'lends') {
    if ((stored.data.body!.value.numUnits as bigint) === 0n) state.delete(stored)
    return
  }
  for (const old of deleted) {
    if (old.set === 'verifications' && !old.isRemove) revokePrimaryAddress(state, old)
  }
  if (stored.set === 'verifications' && hasChannels) return
  const limit = limitOf(state, stored.fid, stored.set, nowUnix)
  for (const old of excess(state, stored.fid, stored.set, limit)) state.delete(old)
}

/** The deletion of a verification takes the primary address with it, if it is the same. */
function revokePrimaryAddress(state: State, old: Stored): void {
  const body = old.data.body!.value as Decoded
  const address = body.address as Uint8Array
  const isSolana = body.protocol === 1
  const userData = state.set(shortFid(old.data.fid), 'userData')
  const primary = userData.get(isSolana ? PRIMARY_SOLANA : PRIMARY_ETHEREUM)
  if (primary === undefined) return
  const value = primary.data.body!.value.value as string
  const isEqual = isSolana ? value === base58.encode(address) : value.toLowerCase() === `0x${hex(address)}`
  if (isEqual) state.delete(primary)
}
