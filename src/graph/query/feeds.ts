import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { ReactionType } from '../../protocol/definitions.js'
import { isReactionTo } from '../reaction-key.js'
import { type Viewer, visibilityFilter } from './visibility-filter.js'

/**
 * A position in a feed: a cast at its time, or at the time of a recast. Feeds run from newest to oldest;
 * entries of one second are sorted by hash, and a cast comes before its recasts of the same second: if a page ended
 * between them, the next would begin after both.
 */
export interface FeedCursor {
  /** Farcaster seconds. */
  readonly ts: number
  /** The hash of the cast: lowercase hex without 0x. */
  readonly hash: string
}

/** An entry of a feed. */
export interface FeedRow extends FeedCursor {
  /**
   * False for a recast of a cast that is not stored or not visible to the viewer, or that stands in the feed at an
   * older position: it has a position and is not shown.
   */
  readonly isShown: boolean
  /** Unix microseconds: recasts stored later do not count on the following pages; 0 in a feed without recasts. */
  readonly recastsUntilMicros: number
  /** Whether it is a scan limit. */
  readonly isScanLimit?: boolean
}

/**
 * The position at which a query had scanned as many casts of an author or a URL as it may, before its page was full. It is
 * not shown; the next page begins behind it.
 */
export interface ScanLimit extends FeedCursor {
  readonly isShown: false
  readonly isScanLimit: true
}

/** Returns the scan limit that a page ended at: its last entry, if it is one. */
export function scanLimitOf<Entry extends FeedCursor>(entries: readonly Entry[]): Entry | undefined {
  const last = entries.at(-1)
  return last && 'isScanLimit' in last && last.isScanLimit ? last : undefined
}

/** The page of a feed, and its viewer. */
export interface FeedPageRequest extends Viewer {
  /** The last position of the previous page; null on the first page. */
  readonly before: FeedCursor | null
  /** `recastsUntilMicros` of the first page. Null on the first page. */
  readonly recastsUntilMicros?: number | null
  /** The maximum number of entries. */
  readonly count: number
}

const roundCounts = [16, 31, 56, 106]

/**
 * Rounds a count up to one of a few values that may be part of a statement's text: each text is prepared on
 * every connection and stays there.
 */
export function roundCount(count: number): number {
  return roundCounts.find((round) => round >= count) ?? 1 + 100 * Math.ceil(count / 100)
}

/** Before every position: no hash is as long. */
const START_CURSOR: FeedCursor = { ts: Number.MAX_SAFE_INTEGER, hash: 'ff'.repeat(21) }

/** The last position of the previous page as a row to compare with: `(c.ts, c.hash) < ${…}`. */
export function cursorRow(db: Database, { before }: FeedPageRequest): Fragment {
  const { ts, hash } = before ?? START_CURSOR
  return db`(${ts}::bigint, decode(${hash}::text, 'hex'))`
}

/**
 * SQL for the position where the page of `entry` is full, of which the next page begins behind the last but one; behind all
 * positions if it is not full. What was scanned only to before it needs a scan limit, however full the page is.
 */
export function fullPagePosition(db: Database, { count }: FeedPageRequest): Fragment {
  return db`
    select ts, hash
    from (
      (select ts, hash from entry order by ts desc, hash desc limit 1 offset ${count - 1}::bigint)
      union all
      select -1, ''::bytea
    ) position
    order by ts desc
    limit 1`
}

/** Conditions on the authors of a feed, which find the one position of a cast. */
export interface FeedAuthors {
  /** Whether the cast that `r` recasts is in the feed by itself. */
  readonly hasCast: Fragment
  /** Whether the feed takes the recasts of the user `earlier.fid`. */
  readonly hasRecaster: Fragment
  /** A query of the `fid` of all users whose recasts the feed takes. */
  readonly recasters: Fragment
}

/** Recasts of a cast among which its first by users of the feed is looked for, from the oldest, before each of these users is looked up. */
const MAX_OLDEST_RECASTS = 200

/**
 * Whether an entry `r` is shown: a cast (no `target_fid`), or the first recast of a cast that is stored, visible and
 * not in the feed by itself. A cast so has one position that later recasts do not change, and pages do not repeat
 * it: recasts that were stored after the first page do not count, as one with an old time would be the first.
 *
 * Use it on the rows of a page, not on all candidates: each recast takes some lookups, and one lookup more for each of the oldest
 * recasts of its cast, or for each user of the feed. Reading all from the oldest took 2 to 4 s for a page of 50 casts with 20,000
 * recasts each, and a reader who follows 30.
 */
export function isShown(
  db: Database,
  pageRequest: FeedPageRequest,
  { hasCast, hasRecaster, recasters }: FeedAuthors,
): Fragment {
  const until = pageRequest.recastsUntilMicros ?? null
  const counts =
    until === null
      ? db``
      : db`and (earlier.merged_at is null or earlier.merged_at <= to_timestamp(${until}::float8 / 1000000))`
  const recast = literal(db, ReactionType.RECAST)
  const visible = visibilityFilter(db, pageRequest, 'earlier.fid')
  return db`
    r.target_fid is null
    or (
      coalesce((select t.fid from social.casts t where t.hash = r.hash) = r.target_fid, false)
      and ${visibilityFilter(db, pageRequest, 'r.target_fid')}
      and not ${hasCast}
      and r.ts = coalesce(
        (
          select earlier.ts
          from (
            select earlier.fid, earlier.ts, earlier.merged_at
            from social.reactions earlier
            where earlier.type = ${recast} and earlier.target_hash = r.hash and earlier.target_fid = r.target_fid and earlier.ts <= r.ts
            order by earlier.ts
            limit ${literal(db, MAX_OLDEST_RECASTS)}
          ) earlier
          where ${hasRecaster} and ${visible} ${counts}
          order by earlier.ts
          limit 1
        ),
        (
          select min(earlier.ts)
          from (${recasters}) recaster
          cross join lateral (
            select recast_of.fid, recast_of.ts, recast_of.merged_at
            from social.reactions recast_of
            where recast_of.fid = recaster.fid and recast_of.type = ${recast}
              and ${isReactionTo(db, 'recast_of', { hash: db`r.hash`, fid: db`r.target_fid` })}
            limit 1
          ) earlier
          where ${visible} ${counts}
        )
      )
    )`
}

/** A recast in a feed. */
export interface FeedRecast extends FeedCursor {
  /** The author that it names. */
  readonly targetFid: number
}

/** Whether each recast is shown, as `isShown` says: for a page whose positions are known. */
export async function readShownRecasts(
  db: Database,
  recasts: readonly FeedRecast[],
  pageRequest: FeedPageRequest,
  authors: FeedAuthors,
): Promise<boolean[]> {
  const rows = await db<{ isShown: boolean }[]>`
    select ${isShown(db, pageRequest, authors)} as "isShown"
    from (
      select ts, decode(hash, 'hex') as hash, target_fid, position
      from unnest(
        ${recasts.map(({ ts }) => ts)}::bigint[],
        ${db.types.texts(recasts.map(({ hash }) => hash))}::text[],
        ${recasts.map(({ targetFid }) => targetFid)}::bigint[]
      ) with ordinality as recast (ts, hash, target_fid, position)
    ) r
    order by r.position
  `
  return rows.map((row) => row.isShown)
}

/** SQL for `recastsUntilMicros` of a row: the clock of the database. Without recasts it is 0, so that equal pages have equal cursors. */
export function recastsUntilMicros(db: Database, hasRecasts: boolean): Fragment {
  return hasRecasts ? db`(extract(epoch from statement_timestamp()) * 1000000)::bigint` : db`0`
}
