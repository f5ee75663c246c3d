import type { Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { insufficientStorage } from '../sender-refusals.js'
import type { BatchState } from './state.js'
import type { ConflictKey } from './stored-message.js'

/** Checks that the sender has storage for the set of a message (docs/protocol.md §4.8). */
export function checkStorage(
  message: SignedMessage,
  conflictKey: ConflictKey | null,
  state: BatchState,
): Refusal | null {
  if (conflictKey === null || state.historical.has(message)) return null
  // Engine V21 has a rule of its own for the storage of verifications.
  const now = farcasterSecondsFromUnixSeconds(state.nowUnix)
  if (conflictKey.set === MessageSet.verifications && state.isV21(now)) return null
  return state.accounts.get(message.data.fid)?.limits[conflictKey.set] === 0 ? insufficientStorage : null
}
