import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
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
  readonly fid: number
  readonly level: number
  /** The cast that it replies to. */
  readonly parent: string | null
}

/** A part of a conversation. */
export interface ConversationPage {
  /** Empty if the cast is not stored. */
  readonly rows: readonly ConversationRow[]
  /** The last direct reply that was read for a fold in an order of time, if more follow; null otherwise. */
  readonly scanLimit: ReplyCursor | null
}

/**
 * Replies to a cast that are ranked, the newest; or that are read for a fold at once. With 100,000 replies a page of all took up to a
 * second of PostgreSQL.
 */
const MAX_SCANNED_REPLIES = 1_000

/** A larger conversation is cut off, deepest level first. */
const MAX_REPLIES = 500
const MAX_ANCESTORS = 100

/** Accounts with a lower score are below the fold. */
const FOLD_SCORE = 0.5

/**
 * Reads a cast with its ancestors and replies, in one statement. Leaves out hidden users, except the author of the cast
 * itself.
 */
export async function readConversation(
  db: Database,
  pageRequest: ConversationPageRequest,
): Promise<ConversationPage> {
  const rows = await db<(ConversationRow & { readonly isScanLimit: boolean })[]>`
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
    select encode(hash, 'hex') as hash, fid, encode(parent_hash, 'hex') as parent, ts, 0 as rank, level,
      false as "isScanLimit"
    from above
    -- Ancestors are walked through hidden ones. The cast itself was asked for.
    where level = 0 or ${visibilityFilter(db, pageRequest, 'above.fid')}
    union all
    select encode(hash, 'hex'), fid, encode(parent_hash, 'hex'), ts, rank, level, false
    from (select * from below limit ${MAX_REPLIES}) bounded
    ${
      pageRequest.depth > 0 && pageRequest.fold && pageRequest.order !== 'algorithmic'
        ? db`
          union all
          (
            select encode(c.hash, 'hex'), c.fid, null, c.ts, 0, 1, true
            from focus f
            cross join lateral (${candidatesFor(db, pageRequest, 'direct')}) c
            offset ${MAX_SCANNED_REPLIES - 1}::bigint
          )`
        : db``
    }
  `
  return {
    rows: rows.filter(({ isScanLimit }) => !isScanLimit),
    scanLimit: rows.find(({ isScanLimit }) => isScanLimit) ?? null,
  }
}

type Replies = 'direct' | 'deeper'

/** The replies to `f`, at most the requested number per cast, in the requested order. */
function repliesTo(db: Database, pageRequest: ConversationPageRequest, which: Replies): Fragment {
  const { order, fold, viewerFid, after, count } = pageRequest
  const isRanked = order === 'algorithmic'
  const rank = isRanked ? db`coalesce(n.likes + n.recasts + n.replies, 0)` : db`0`
  const counters = isRanked
    ? db`left join social.cast_counts n on n.hash = reply.hash and n.fid = reply.fid`
    : db``
  return db`
    select reply.hash, reply.fid, reply.parent_hash, reply.ts, ${rank} as rank
    from (${candidatesFor(db, pageRequest, which)}) reply ${counters}
    where ${visibilityFilter(db, pageRequest, 'reply.fid')}
      ${isFolded(fold, which) ? db`and ${isRankedAbove(db, viewerFid)} = ${fold === 'above'}` : db``}
      ${which === 'direct' && after && isRanked ? db`and ${isAfterCursor(db, order, rank, after)}` : db``}
    order by ${orderOf(db, order, rank)}
    limit ${which === 'direct' ? count : Math.max(1, count - 1)}`
}

/** The replies to `f` among which a page is chosen, bounded where the choice could read all of them. */
function candidatesFor(db: Database, pageRequest: ConversationPageRequest, which: Replies): Fragment {
  const { order, fold, after } = pageRequest
  const isRanked = order === 'algorithmic'
  const bound = db`
    order by ${isRanked ? orderOf(db, 'desc_chron') : orderOf(db, order)}
    limit ${literal(db, MAX_SCANNED_REPLIES)}`
  return db`
    select reply.hash, reply.fid, reply.parent_hash, reply.ts
    from social.casts reply
    where reply.parent_hash = f.hash and reply.parent_fid = f.fid
      ${which === 'direct' && after && !isRanked ? db`and ${isAfterCursor(db, order, db`0`, after)}` : db``}
    ${isRanked || isFolded(fold, which) ? bound : db``}`
}

function isFolded(fold: ConversationPageRequest['fold'], which: Replies): boolean {
  return fold === 'above' || (fold === 'below' && which === 'direct')
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

function orderOf(db: Database, order: ReplyOrder, rank = db`0`): Fragment {
  if (order === 'chron') return db`reply.ts, reply.hash`
  if (order === 'desc_chron') return db`reply.ts desc, reply.hash desc`
  return db`${rank} desc, reply.ts desc, reply.hash desc`
}
