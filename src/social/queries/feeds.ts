import type { Fragment } from 'postgres'
import type { Database } from '../../db/connection.js'
import { shownTo } from './casts-shown-to.js'

/**
 * A place in a feed: a cast when it was cast, or when somebody recast it. Feeds go from the newest place to the
 * oldest; of one second, by hash.
 */
export interface FeedPlace {
  /** Farcaster seconds. */
  readonly ts: number
  /** Of the cast; lower-case hex without 0x. */
  readonly hash: string
}

/** Which part of a feed is wanted, and who looks. */
export interface FeedPart {
  /** The last place that was seen; null at the beginning. */
  readonly before: FeedPlace | null
  /** Most places. */
  readonly count: number
  readonly viewerFid?: number | undefined
}

/** Above every place: no hash is as long. */
const beginning: FeedPlace = { ts: Number.MAX_SAFE_INTEGER, hash: 'ff'.repeat(21) }

/** The last place that was seen, as a row that places are compared with: `(c.ts, c.hash) < ${…}`. */
export function placeOf(db: Database, { before }: FeedPart): Fragment {
  const { ts, hash } = before ?? beginning
  return db`(${ts}::bigint, decode(${hash}::text, 'hex'))`
}

/**
 * A condition on recasts `r`: the cast is here and may be seen. A lookup for each row, in whatever plan: the limit
 * keeps the planner from joining all casts.
 */
export function recastShown(db: Database, viewerFid: number | undefined): Fragment {
  return db`
    (select t.fid from social.casts t where t.hash = r.target_hash limit 1) = r.target_fid
    and ${shownTo(db, viewerFid, 'r.target_fid')}`
}
