import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'
import { type Viewer, visibilityFilter } from './visibility-filter.js'

/**
 * A place in a feed: a cast when it was cast, or when somebody recast it. Feeds go from the newest place to the
 * oldest; of one second, by hash.
 */
export interface FeedCursor {
  /** Farcaster seconds. */
  readonly ts: number
  /** Of the cast; lower-case hex without 0x. */
  readonly hash: string
}

/** A place as it was read. */
export interface FeedRow extends FeedCursor {
  /** False: of a recast of what is not here, or what the viewer is not to see. Its place counts, it is not shown. */
  readonly isShown: boolean
}

/** Which part of a feed is wanted, and who looks. */
export interface FeedPageRequest extends Viewer {
  /** The last place that was seen; null at the beginning. */
  readonly before: FeedCursor | null
  /** Most places. */
  readonly count: number
}

const roundCounts = [16, 31, 56, 106]

/**
 * The next count above that may stand in the text of a statement. There are few, as each text is prepared on every
 * connection and stays there.
 */
export function roundCount(count: number): number {
  return roundCounts.find((round) => round >= count) ?? 1 + 100 * Math.ceil(count / 100)
}

/** Above every place: no hash is as long. */
const START_CURSOR: FeedCursor = { ts: Number.MAX_SAFE_INTEGER, hash: 'ff'.repeat(21) }

/** The last place that was seen, as a row that places are compared with: `(c.ts, c.hash) < ${…}`. */
export function cursorRow(db: Database, { before }: FeedPageRequest): Fragment {
  const { ts, hash } = before ?? START_CURSOR
  return db`(${ts}::bigint, decode(${hash}::text, 'hex'))`
}

/**
 * Whether a place `r` may be shown: that of a cast (without `target_fid`), or of a recast whose cast is here and may
 * be seen. To be asked of the rows of a page, not of all that come into question: it is a look-up for each.
 */
export function isShown(db: Database, viewer: Viewer): Fragment {
  return db`
    r.target_fid is null
    or (
      coalesce((select t.fid from social.casts t where t.hash = r.hash) = r.target_fid, false)
      and ${visibilityFilter(db, viewer, 'r.target_fid')}
    )`
}
