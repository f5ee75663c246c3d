import type { Database } from '../../../platform/db/connection.js'
import { literal } from '../../../platform/db/literal.js'
import { DAY_SECONDS, HOUR_SECONDS } from '../../../platform/durations.js'
import { reportFirstFailure } from '../../../platform/log/first-failure.js'
import type { Log } from '../../../platform/log/log.js'
import { pause, resultWithin } from '../../../platform/process/pause.js'
import { ReactionType } from '../../../protocol/definitions.js'
import { HASH_BYTES } from '../../../protocol/hash.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { type HeightsJson, heightsIn, selectHeights } from '../../load/snapshot-heights.js'
import type { BlockSequence, ShardHeights } from '../block-sequence.js'
import { measureClock } from './database-clock.js'
import { entryKind, type FeedEntry } from './feed-entries.js'
import {
  ALL_FIDS,
  type Counts,
  type LoadedPart,
  type RecentCast,
  type RecentWindow,
} from './recent-window.js'

export interface WindowLoaderOptions {
  readonly db: Database
  readonly blocks: BlockSequence
  readonly window: RecentWindow
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: Log
}

/** Casts of one part. It takes about 15 ms of the server and 20 ms of PostgreSQL; requests are answered in between. */
const CASTS_PER_PART = 2_000
/** The most users and likes of one part, except that it has all likes of its last user. */
const USERS_PER_PART = 2_000
const LIKES_PER_PART = 4_000
/** Interval between checks whether something is missing. */
const POLL_MS = 1_000
/** Ranked feeds look three days back; a cursor of a ranked page may be a day old. */
const LIKES_SECONDS = 4 * DAY_SECONDS

/** A part, and the blocks that its snapshot contains. */
export interface ReadPart<Part extends LoadedPart = LoadedPart> {
  readonly part: Part
  readonly heights: ShardHeights
}

/**
 * Keeps the window filled in the background, also after each reset. A million casts take about 25 s of the processors.
 *
 * @returns Stops it.
 */
export function startWindowLoader(options: WindowLoaderOptions): () => Promise<void> {
  const stopping = new AbortController()
  const loading = keepFilled(options, stopping.signal)
  return async () => {
    stopping.abort()
    await loading
  }
}

async function keepFilled(options: WindowLoaderOptions, signal: AbortSignal): Promise<void> {
  const { window, clock, log } = options
  const fill = reportFirstFailure(
    async () => {
      await fillWindow(options, signal)
      dropOldLikes(window, clock())
    },
    (error) => {
      if (signal.aborted) return
      log.warn({ err: error }, 'the window of recent casts cannot be filled; feeds read the tables; retrying')
    },
    () => log.info({}, 'the window of recent casts is filled again'),
  )
  while (!signal.aborted) {
    await fill()
    await pause(POLL_MS, signal)
  }
}

/** Reads what is missing, the newest first, until the window has all that it may hold or has to begin again. */
export async function fillWindow(options: WindowLoaderOptions, signal: AbortSignal): Promise<void> {
  await measureClock(options).catch((error: unknown) => {
    // The former measurement counts while the database is away, and a window that is filled has nothing else to ask it.
    if (options.window.clockMeasuredAtMs === null) throw error
  })
  while (!signal.aborted) {
    const read = nextPart(options)
    if (read === null || !(await joinPart(options, read, signal))) return
  }
}

/** Drops old likes: an hour's worth at a time, because all users are looked through for them, some of them at each call. */
function dropOldLikes(window: RecentWindow, nowMs: number): void {
  const oldest = farcasterSecondsFromUnixMs(nowMs) - LIKES_SECONDS
  if (window.likesSince < oldest - HOUR_SECONDS) window.dropLikesBefore(oldest)
  else window.dropOldLikes()
}

/** The read of what is missing next; null if the window has everything that it may hold. */
function nextPart({ db, blocks, window, clock }: WindowLoaderOptions): (() => Promise<ReadPart>) | null {
  const { since, likesThroughFid } = window
  if (window.maxEntries === 0 || !blocks.isCurrent()) return null
  if (!window.hasFeed) return () => readFeedPart(db, since)
  if (window.isFilled) return null
  if (likesThroughFid < 0) window.likesSince = farcasterSecondsFromUnixMs(clock()) - LIKES_SECONDS
  return () => readLikesPart(db, likesThroughFid, window.likesSince)
}

/** Reads a part and joins it when the window has every block that the part contains; false if it has to be read again. */
export async function joinPart(
  { blocks, window }: Pick<WindowLoaderOptions, 'blocks' | 'window'>,
  read: () => Promise<ReadPart>,
  signal: AbortSignal,
): Promise<boolean> {
  const { generation } = window
  const load = blocks.load()
  try {
    const { part, heights } = await read()
    while (!blocks.hasReached(heights)) {
      if (signal.aborted || window.generation !== generation || load.blocksAfter(heights) === null)
        return false
      await resultWithin(POLL_MS, blocks.nextChange())
    }
    const later = load.blocksAfter(heights)
    if (later === null || window.generation !== generation) return false
    return window.join(part, later)
  } finally {
    load.end()
  }
}

interface SnapshotRow {
  heights: HeightsJson
}

interface FeedPartRow extends SnapshotRow {
  since: number
  castHashes: Buffer
  castFids: Buffer
  castTimes: Buffer
  areReplies: Buffer
  castCounts: Buffer
  recastHashes: Buffer
  recastFids: Buffer
  recastTargetFids: Buffer
  recastTimes: Buffer
}

/** Reads the newest casts before a time, and the recasts of the same time. Numbers come as bytes: arrays cost three times as much to decode. */
async function readFeedPart(
  db: Database,
  until: number,
): Promise<ReadPart<Extract<LoadedPart, { kind: 'feed' }>>> {
  const before = Number.isFinite(until) ? until : Number.MAX_SAFE_INTEGER
  const [row] = await db<FeedPartRow[]>`
    with bounds as materialized (
      select coalesce(
        (
          select least(c.ts, ${before}::bigint - 1)
          from social.casts c
          where c.ts < ${before}::bigint
          order by c.ts desc, c.hash desc
          offset ${CASTS_PER_PART} limit 1
        ),
        0
      ) as since
    ),
    part as materialized (
      select c.hash, c.fid, c.ts, c.parent_hash is not null as is_reply,
        coalesce(n.likes, 0) as likes, coalesce(n.recasts, 0) as recasts,
        coalesce(n.replies, 0) as replies, coalesce(n.quotes, 0) as quotes
      from social.casts c
      left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
      where c.ts >= (select since from bounds) and c.ts < ${before}::bigint
    ),
    recast as materialized (
      select r.target_hash, r.fid, r.target_fid, r.ts
      from social.reactions r
      where r.type = ${literal(db, ReactionType.RECAST)} and r.ts >= (select since from bounds) and r.ts < ${before}::bigint
    )
    select bounds.since, ${selectHeights(db)} as heights, casts.*, recasts.*
    from bounds
    cross join (
      select
        coalesce(string_agg(hash, ''), '') as "castHashes",
        coalesce(string_agg(int8send(fid), ''), '') as "castFids",
        coalesce(string_agg(int8send(ts), ''), '') as "castTimes",
        coalesce(string_agg(boolsend(is_reply), ''), '') as "areReplies",
        coalesce(string_agg(int4send(likes) || int4send(recasts) || int4send(replies) || int4send(quotes), ''), '')
          as "castCounts"
      from part
    ) casts
    cross join (
      select
        coalesce(string_agg(target_hash, ''), '') as "recastHashes",
        coalesce(string_agg(int8send(fid), ''), '') as "recastFids",
        coalesce(string_agg(int8send(target_fid), ''), '') as "recastTargetFids",
        coalesce(string_agg(int8send(ts), ''), '') as "recastTimes"
      from recast
    ) recasts
  `
  const read = row!
  return {
    heights: heightsIn(read.heights),
    part: { kind: 'feed', since: read.since, until, casts: castsIn(read), recasts: recastsIn(read) },
  }
}

function castsIn({ castHashes, castFids, castTimes, areReplies, castCounts }: FeedPartRow): RecentCast[] {
  return Array.from({ length: areReplies.length }, (_, index) => ({
    hash: hashAt(castHashes, index),
    fid: numberAt(castFids, index),
    ts: numberAt(castTimes, index),
    isReply: areReplies[index] === 1,
    counts: countsAt(castCounts, index),
  }))
}

function recastsIn({ recastHashes, recastFids, recastTargetFids, recastTimes }: FeedPartRow): FeedEntry[] {
  return Array.from({ length: recastFids.length / 8 }, (_, index) => ({
    kind: entryKind.recast,
    ts: numberAt(recastTimes, index),
    actor: numberAt(recastFids, index),
    hash: hashAt(recastHashes, index),
    targetFid: numberAt(recastTargetFids, index),
  }))
}

interface LikesPartRow extends SnapshotRow {
  throughFid: number
  hashes: Buffer
  fids: Buffer
  targetFids: Buffer
  times: Buffer
}

/**
 * Reads the likes of the next users: there is no index of likes by time alone. The users are not materialized, so that PostgreSQL
 * knows their order and stops after the likes of one part.
 */
async function readLikesPart(
  db: Database,
  afterFid: number,
  since: number,
): Promise<ReadPart<Extract<LoadedPart, { kind: 'likes' }>>> {
  const [row] = await db<LikesPartRow[]>`
    with users as not materialized (
      select fid from social.users where fid > ${afterFid}::bigint order by fid limit ${USERS_PER_PART}
    ),
    likes as materialized (
      select r.*
      from users u
      cross join lateral (
        select r.target_hash, r.fid, r.target_fid, r.ts
        from social.reactions r
        where r.fid = u.fid and r.type = ${literal(db, ReactionType.LIKE)} and r.ts >= ${since}::bigint
      ) r
      order by u.fid
      fetch first (${LIKES_PER_PART}::bigint) rows with ties
    )
    select
      case
        when count(*) >= ${LIKES_PER_PART}::bigint then max(fid)
        else (
          select case when count(*) < ${USERS_PER_PART}::bigint then ${ALL_FIDS}::bigint else max(fid) end from users
        )
      end as "throughFid",
      ${selectHeights(db)} as heights,
      coalesce(string_agg(target_hash, ''), '') as hashes,
      coalesce(string_agg(int8send(fid), ''), '') as fids,
      coalesce(string_agg(int8send(target_fid), ''), '') as "targetFids",
      coalesce(string_agg(int8send(ts), ''), '') as times
    from likes
  `
  const { throughFid, hashes, fids, targetFids, times } = row!
  const likes = Array.from({ length: fids.length / 8 }, (_, index) => ({
    kind: entryKind.like,
    ts: numberAt(times, index),
    actor: numberAt(fids, index),
    hash: hashAt(hashes, index),
    targetFid: numberAt(targetFids, index),
  }))
  return { heights: heightsIn(row!.heights), part: { kind: 'likes', throughFid, likes } }
}

/** Reads the counters of casts. */
export async function readCounts(db: Database, hashes: readonly Buffer[]): Promise<ReadPart> {
  const [row] = await db<({ hashes: Buffer; counts: Buffer } & SnapshotRow)[]>`
    select
      ${selectHeights(db)} as heights,
      coalesce(string_agg(requested.hash, ''), '') as hashes,
      coalesce(
        string_agg(
          int4send(coalesce(n.likes, 0)) || int4send(coalesce(n.recasts, 0)) || int4send(coalesce(n.replies, 0))
            || int4send(coalesce(n.quotes, 0)),
          ''
        ),
        ''
      ) as counts
    from unnest(${db.types.byteas(hashes)}::bytea[]) as requested (hash)
    join social.casts c on c.hash = requested.hash
    left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
  `
  const read = row!
  const counts = Array.from({ length: read.hashes.length / HASH_BYTES }, (_, index) => ({
    hash: hashAt(read.hashes, index),
    counts: countsAt(read.counts, index),
  }))
  return { heights: heightsIn(read.heights), part: { kind: 'counts', counts } }
}

function hashAt(bytes: Buffer, index: number): Buffer {
  return bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
}

/** A bigint, at most 2^53. */
function numberAt(bytes: Buffer, index: number): number {
  return bytes.readUInt32BE(8 * index) * 2 ** 32 + bytes.readUInt32BE(8 * index + 4)
}

function countsAt(bytes: Buffer, index: number): Counts {
  const at = 16 * index
  return [
    bytes.readInt32BE(at),
    bytes.readInt32BE(at + 4),
    bytes.readInt32BE(at + 8),
    bytes.readInt32BE(at + 12),
  ]
}
