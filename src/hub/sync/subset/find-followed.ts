import { ReactionType } from '@farcaster/core'
import type { Database } from '../../../platform/db/connection.js'
import { decodeMessage, isRefusal } from '../../../protocol/codec.js'
import { pagesOf } from '../account/paged-calls.js'
import type { Upstreams } from '../client/upstreams.js'
import { addFollowed, type FollowedRow, type FollowReason } from './followed-rows.js'

/** Casts whose neighbours are asked for at the same time. */
const CASTS_AT_ONCE = 8
const PAGE_CASTS = 1_000
/** Nodes do not list reactions to a cast without being told of which type. */
const REACTION_TYPES = [ReactionType.LIKE, ReactionType.RECAST]

/**
 * Follows whoever has cast in a channel so far.
 *
 * @throws UpstreamFailure
 */
export async function findChannelAuthors(
  db: Database,
  upstreams: Upstreams,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const parentUrl of urls) {
    await followAuthors(db, pagesOf(upstreams, 'getCastsByParent', { parentUrl }, signal), 'channel')
  }
}

/**
 * Follows whom these users follow, by what is here of them, and who has reacted and replied to them, by what the
 * upstream has.
 *
 * @throws UpstreamFailure
 */
export async function findNeighbours(
  db: Database,
  upstreams: Upstreams,
  fids: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  const follows = await db<FollowedRow[]>`
    select target_fid as fid, 'follow' as reason, fid as via from social.follows where fid = any (${[...fids]}::bigint[])
  `
  await addFollowed(db, follows)
  for await (const casts of castsOf(db, fids)) {
    for (let at = 0; at < casts.length && !signal.aborted; at += CASTS_AT_ONCE) {
      await Promise.all(
        casts
          .slice(at, at + CASTS_AT_ONCE)
          .flatMap((castId) => [
            ...REACTION_TYPES.map((reactionType) =>
              followAuthors(
                db,
                pagesOf(upstreams, 'getReactionsByCast', { targetCastId: castId, reactionType }, signal),
                'touch',
              ),
            ),
            followAuthors(
              db,
              pagesOf(upstreams, 'getCastsByParent', { parentCastId: castId }, signal),
              'touch',
            ),
          ]),
      )
    }
  }
}

async function followAuthors(
  db: Database,
  pages: AsyncGenerator<readonly Buffer[]>,
  reason: FollowReason,
): Promise<void> {
  for await (const page of pages) {
    const messages = page.map(decodeMessage)
    const fids = new Set(messages.flatMap((message) => (isRefusal(message) ? [] : [message.data.fid])))
    await addFollowed(
      db,
      [...fids].map((fid) => ({ fid, reason, via: 0 })),
    )
  }
}

async function* castsOf(
  db: Database,
  fids: readonly number[],
): AsyncGenerator<{ readonly fid: number; readonly hash: Buffer }[]> {
  let after: Buffer = Buffer.alloc(0)
  for (;;) {
    const casts = await db<{ fid: number; hash: Buffer }[]>`
      select fid, hash from social.casts
      where fid = any (${[...fids]}::bigint[]) and hash > ${after}
      order by hash
      limit ${PAGE_CASTS}
    `
    if (casts.length > 0) yield casts
    if (casts.length < PAGE_CASTS) return
    after = casts.at(-1)!.hash
  }
}
