import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { type CastIdentifier, castByIdentifier } from './cast-identifier.js'
import { type Viewer, visibilityFilter } from './visibility-filter.js'

/** The orders of direct replies. */
export type ReplyOrder = 'chron' | 'desc_chron' | 'algorithmic'

/** A position among direct replies. */
export interface ReplyCursor {
  /** The sort key of `algorithmic`; 0 in the other orders. */
  readonly rank: number
  /** Farcaster seconds. */
  readonly ts: number
  /** Lowercase hex without 0x. */
  readonly hash: string
}

/** The page of a conversation. */
export interface ConversationPageRequest extends Viewer {
  readonly cast: CastIdentifier
  /** The depth of replies: 1 is direct replies. */
  readonly depth: number
  readonly order: ReplyOrder
  /** Only replies above the fold, or only direct replies below it; null for all. */
  readonly fold: 'above' | 'below' | null
  readonly ancestors: boolean
  /** The last direct reply of the previous page; null on the first page. */
  readonly after: ReplyCursor | null
  /** The maximum number of direct replies, and of replies to each of them. */
  readonly count: number
}

/** The cast itself (level 0), one above it (-1, -2, …) or one below it (1, 2, …). */
export interface ConversationRow extends ReplyCursor {
  readonly level: number
  /** The cast that it replies to. */
  readonly parent: string | null
}

/** A larger conversation is cut off, deepest level first. */
const MAX_REPLIES = 500
const MAX_ANCESTORS = 100

/** Accounts with a lower score are below the fold. */
const FOLD_SCORE = 0.5

/**
 * Reads a cast with its ancestors and replies, in one statement; empty if the cast is not stored. Leaves out hidden users,
 * except the author of the cast itself.
 */
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
    select encode(hash, 'hex') as hash, encode(parent_hash, 'hex') as parent, ts, 0 as rank, level
    from above
    -- Ancestors are walked through hidden ones. The cast itself was asked for.
    where level = 0 or ${visibilityFilter(db, pageRequest, 'above.fid')}
    union all
    select encode(hash, 'hex'), encode(parent_hash, 'hex'), ts, rank, level
    from (select * from below limit ${MAX_REPLIES}) bounded
  `
}

/** The replies to `f`, at most the requested number per cast, in the requested order. */
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

/**
 * Above the fold: accounts with a good score or none yet, the cast's own author, and users whom the viewer
 * follows.
 */
function isRankedAbove(db: Database, viewerFid: number | undefined): Fragment {
  const followed =
    viewerFid === undefined
      ? db`false`
      : db`exists (
          select from social.follows known where known.fid = ${viewerFid}::bigint and known.target_fid = reply.fid
        )`
  return db`(
    reply.fid = (select fid from focus)
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
