import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'
import { type CastIdentifier, castByIdentifier } from './cast-identifier.js'
import { type Viewer, visibilityFilter } from './visibility-filter.js'

/** How direct replies are put in order. */
export type ReplyOrder = 'chron' | 'desc_chron' | 'algorithmic'

/** Where a direct reply stands among the others. */
export interface ReplyCursor {
  /** By which `algorithmic` sorts; 0 in the other orders. */
  readonly rank: number
  /** Farcaster seconds. */
  readonly ts: number
  /** Lower-case hex without 0x. */
  readonly hash: string
}

/** What of a conversation is wanted. */
export interface ConversationPageRequest extends Viewer {
  readonly cast: CastIdentifier
  /** How deep replies go: 1 is direct ones. */
  readonly depth: number
  readonly order: ReplyOrder
  /** Only replies above the fold, or only direct ones below it; null for all. */
  readonly fold: 'above' | 'below' | null
  readonly ancestors: boolean
  /** The last direct reply that was seen; null at the beginning. */
  readonly after: ReplyCursor | null
  /** Most direct replies, and most replies to each of them. */
  readonly count: number
}

/** The cast itself (level 0), those above it (-1, -2, …) or below it (1, 2, …). */
export interface ConversationRow extends ReplyCursor {
  readonly level: number
  /** What it replies to. */
  readonly parent: string | null
}

/** A conversation of more casts than that is cut off, deepest level first. */
const MAX_REPLIES = 500
const MAX_ANCESTORS = 100

/** Accounts that are less probably genuine stand below the fold. */
const FOLD_SCORE = 0.5

/** A cast, what it replies to and what replies to it, in one statement; empty if the cast is not here. */
export async function readConversation(
  db: Database,
  pageRequest: ConversationPageRequest,
): Promise<ConversationRow[]> {
  return db<ConversationRow[]>`
    with recursive focus as materialized (${castByIdentifier(db, pageRequest.cast)}),
    above as (
      select hash, fid, parent_hash, parent_fid, ts, 0 as level from focus
      union all
      select p.hash, p.fid, p.parent_hash, p.parent_fid, p.ts, above.level - 1
      from above
      join social.casts p on p.hash = above.parent_hash and p.fid = above.parent_fid
      where ${pageRequest.ancestors} and above.level > ${-MAX_ANCESTORS}::integer
    ),
    below as (
      (
        select c.hash, c.fid, c.parent_hash, c.ts, c.rank, 1 as level
        from focus f
        cross join lateral (${repliesTo(db, pageRequest, 'direct')}) c
        where ${pageRequest.depth}::integer > 0
      )
      union all
      select c.hash, c.fid, c.parent_hash, c.ts, c.rank, f.level + 1
      from below f
      cross join lateral (${repliesTo(db, pageRequest, 'deeper')}) c
      where f.level < ${pageRequest.depth}::integer
    )
    select encode(hash, 'hex') as hash, encode(parent_hash, 'hex') as parent, ts, 0 as rank, level from above
    union all
    select encode(hash, 'hex'), encode(parent_hash, 'hex'), ts, rank, level
    from (select * from below limit ${MAX_REPLIES}) bounded
  `
}

/** Replies to `f`, as many as are wanted of one cast, in their order. */
function repliesTo(db: Database, pageRequest: ConversationPageRequest, which: 'direct' | 'deeper'): Fragment {
  const { order, fold, viewerFid, after, count } = pageRequest
  const rank = order === 'algorithmic' ? db`coalesce(n.likes + n.recasts + n.replies, 0)` : db`0`
  const counters =
    order === 'algorithmic'
      ? db`left join social.cast_counts n on n.hash = reply.hash and n.fid = reply.fid`
      : db``
  const isFolded = which === 'direct' || fold === 'above'
  return db`
    select reply.hash, reply.fid, reply.parent_hash, reply.ts, ${rank} as rank
    from social.casts reply ${counters}
    where reply.parent_hash = f.hash and reply.parent_fid = f.fid
      and ${visibilityFilter(db, pageRequest, 'reply.fid')}
      ${isFolded && fold ? db`and ${isRankedAbove(db, viewerFid)} = ${fold === 'above'}` : db``}
      ${which === 'direct' && after ? db`and ${isAfterCursor(db, order, rank, after)}` : db``}
    order by ${orderOf(db, order, rank)}
    limit ${which === 'direct' ? count : Math.max(1, count - 1)}`
}

/** Above the fold are genuine accounts, those without a score yet, the cast's own author, and whom the viewer follows. */
function isRankedAbove(db: Database, viewerFid: number | undefined): Fragment {
  const followed =
    viewerFid === undefined
      ? db`false`
      : db`exists (
          select from social.follows known where known.fid = ${viewerFid}::bigint and known.target_fid = reply.fid
        )`
  return db`(
    reply.fid = f.fid
    or coalesce((select u.score from social.users u where u.fid = reply.fid), 1) >= ${FOLD_SCORE}::real
    or ${followed}
  )`
}

function isAfterCursor(
  db: Database,
  order: ReplyOrder,
  rank: Fragment,
  { ts, hash, rank: lastRank }: ReplyCursor,
): Fragment {
  if (order === 'chron') return db`(reply.ts, reply.hash) > (${ts}::bigint, decode(${hash}, 'hex'))`
  if (order === 'desc_chron') return db`(reply.ts, reply.hash) < (${ts}::bigint, decode(${hash}, 'hex'))`
  return db`(${rank}, reply.ts, reply.hash) < (${lastRank}::bigint, ${ts}::bigint, decode(${hash}, 'hex'))`
}

function orderOf(db: Database, order: ReplyOrder, rank: Fragment): Fragment {
  if (order === 'chron') return db`reply.ts, reply.hash`
  if (order === 'desc_chron') return db`reply.ts desc, reply.hash desc`
  return db`${rank} desc, reply.ts desc, reply.hash desc`
}
