import { MessageType } from '@farcaster/core'
import type { Database } from '../../platform/db/connection.js'
import { PlazaError, type Refusal, refuse } from '../../platform/errors.js'
import type { Author, Publisher } from './author.js'
import { publishChanges } from './changes.js'
import { refusalError } from './refusal.js'

/** What became of one follow or unfollow. */
export interface FollowOutcome {
  readonly targetFid: number
  /** Of the message that stands now; null where there is none. */
  readonly hash: Buffer | null
  readonly refusal: Refusal | null
}

/**
 * Follows or unfollows users, all in one submission. Those that are followed, or not followed, already count as done.
 *
 * @returns for each target once, in their order.
 * @throws PlazaError when nothing at all was done: `not_found` where no target is a user, else what the hub refused.
 */
export async function publishFollows(
  publisher: Publisher,
  author: Author,
  action: 'follow' | 'unfollow',
  targetFids: readonly number[],
): Promise<FollowOutcome[]> {
  const targets = [...new Set(targetFids)]
  // Who has gone from here can still be unfollowed.
  const reachable =
    action === 'follow' ? await registeredFids(publisher.writerDb, targets) : new Set<number>(targets)
  const validTargets = targets.filter((fid) => reachable.has(fid))
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
  const hubFailure = outcomes.find(({ refusal }) => refusal !== null && refusal.code !== 'not_found')
  if (hubFailure?.refusal) return refusalError(hubFailure.refusal)
  return new PlazaError('not_found', 'there are no such users', { property: 'target_fids' })
}

async function registeredFids(db: Database, fids: readonly number[]): Promise<Set<number>> {
  const rows = await db<{ fid: number }[]>`
    select fid from hub.fids where fid = any (${[...fids]}::bigint[])
  `
  return new Set(rows.map(({ fid }) => fid))
}
