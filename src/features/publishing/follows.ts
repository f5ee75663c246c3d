import type { Database } from '../../platform/db/connection.js'
import { PlazaError, type Refusal, refusalError, refuse } from '../../platform/errors.js'
import { MessageType } from '../../protocol/definitions.js'
import type { Author, Publisher } from './author.js'
import { publishChanges } from './changes.js'

interface FollowOutcome {
  readonly targetFid: number
  /** Hash of the current message; null when there is none. */
  readonly hash: Buffer | null
  readonly refusal: Refusal | null
}

/**
 * Follows or unfollows users in one submission. Targets in the requested state already succeed.
 *
 * @returns One result per distinct target, in order.
 * @throws PlazaError When nothing was done: `not_found` when no target is registered, otherwise the hub's
 * refusal.
 */
export async function publishFollows(
  publisher: Publisher,
  author: Author,
  action: 'follow' | 'unfollow',
  targetFids: readonly number[],
): Promise<FollowOutcome[]> {
  const targets = [...new Set(targetFids)]
  // Unknown users can still be unfollowed.
  const validTargets = action === 'follow' ? await registeredFids(publisher.writerDb, targets) : targets
  const type = action === 'follow' ? MessageType.LINK_ADD : MessageType.LINK_REMOVE
  const changes = await publishChanges(
    publisher,
    author,
    validTargets.map((targetFid) => ({ type, linkBody: { type: 'follow', targetFid } })),
  )
  const byFid = new Map(validTargets.map((fid, index) => [fid, changes[index]!]))
  const outcomes = targets.map((targetFid) => {
    const change = byFid.get(targetFid)
    if (!change) return { targetFid, hash: null, refusal: refuse('not_found', 'there is no such user') }
    return { targetFid, hash: change.refusal ? null : change.hash, refusal: change.refusal }
  })
  if (outcomes.every(({ refusal }) => refusal !== null)) throw allFailedError(outcomes)
  return outcomes
}

function allFailedError(outcomes: readonly FollowOutcome[]): PlazaError {
  const byHub = outcomes.find(({ refusal }) => refusal?.code !== 'not_found')?.refusal
  return byHub
    ? refusalError(byHub)
    : new PlazaError('not_found', 'there are no such users', { property: 'target_fids' })
}

async function registeredFids(db: Database, fids: number[]): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`select fid from hub.fids where fid = any (${fids}::bigint[])`
  return rows.map(({ fid }) => fid)
}
