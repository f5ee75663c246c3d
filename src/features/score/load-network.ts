import type { Fragment } from '#postgres'
import type { Queryable, Session } from '../../platform/db/connection.js'
import { DAY_SECONDS, HOUR_SECONDS } from '../../platform/durations.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { FidIndex } from './fid-index.js'
import type { EdgeList } from './graph.js'
import type { AccountFeatures } from './spam-signals.js'

/** Rows in memory at once. */
const ROWS = 5_000
/** Only recent casts count, since behavior changes and old casts are many. */
const CAST_WINDOW_SECONDS = 30 * DAY_SECONDS
/** Letters besides links; with fewer, a link has no text, */
const LINK_ALONE_LETTERS = 10
/** and with fewer than this, a repetition means nothing ("good morning"). */
const WORDY_LETTERS = 20

/** All accounts by their number in the index. */
export interface LoadedAccounts {
  readonly index: FidIndex
  readonly accounts: AccountFeatures
  /** Stored scores; NaN for none. */
  readonly currentScores: Float64Array
}

/** Loads every account; cast and follow features stay 0 until they are loaded. */
export async function loadAccounts(session: Session, signal: AbortSignal): Promise<LoadedAccounts> {
  const fids: number[] = []
  const registeredAt: number[] = []
  const profileParts: number[] = []
  const currentScores: number[] = []
  const rows = session<{ fid: number; registered_at: number; profile_parts: number; score: number | null }[]>`
    select fid, registered_at, num_nonnulls(username, display_name, pfp_url, bio) as profile_parts, score
    from social.users
    order by fid
  `.cursor(ROWS)
  for await (const batch of rows) {
    signal.throwIfAborted()
    for (const row of batch) {
      fids.push(row.fid)
      registeredAt.push(row.registered_at)
      profileParts.push(row.profile_parts)
      currentScores.push(row.score ?? Number.NaN)
    }
  }
  return {
    index: new FidIndex(fids),
    currentScores: Float64Array.from(currentScores),
    accounts: {
      registeredAt: Float64Array.from(registeredAt),
      profileParts: Uint8Array.from(profileParts),
      peakFollows: new Uint32Array(fids.length),
      casts: new Uint32Array(fids.length),
      linkCasts: new Uint32Array(fids.length),
      wordyCasts: new Uint32Array(fids.length),
      differentWordyCasts: new Uint32Array(fids.length),
    },
  }
}

/** Row of `castCounts`. */
export interface CastCounts {
  readonly fid: number
  readonly casts: number
  readonly link_casts: number
  readonly wordy_casts: number
  readonly different_wordy_casts: number
}

/** The time from which casts count, in Farcaster seconds. */
export function castsSince(nowUnix: number): number {
  return farcasterSecondsFromUnixSeconds(nowUnix) - CAST_WINDOW_SECONDS
}

/**
 * SQL that counts casts by account.
 *
 * Two casts are equal when their letters are, without links, digits, spaces, punctuation and case. A photo is
 * not a link.
 *
 * @param from What follows `from`: casts with their conditions.
 */
export function castCounts(db: Queryable, from: Fragment): Fragment {
  return db`
    select
      fid,
      count(*)::integer as casts,
      count(*) filter (where is_link)::integer as link_casts,
      count(said)::integer as wordy_casts,
      count(distinct said)::integer as different_wordy_casts
    from (
      select
        fid,
        length(letters) < ${LINK_ALONE_LETTERS}::integer
        and (
          text ~* 'https?://'
          or jsonb_path_exists(embeds, '$[*].url ? (
            !(@ like_regex "[.](png|jpe?g|gif|webp|avif|svg|mp4|mov|webm|m3u8)([?#]|$)" flag "i")
            && !(@ like_regex "^https?://imagedelivery[.]net/" flag "i")
          )')
        ) as is_link,
        case when length(letters) >= ${WORDY_LETTERS}::integer then hashtextextended(letters, 0) end as said
      from (
        select fid, text, embeds,
          regexp_replace(lower(text), 'https?://\\S+|[[:space:][:digit:][:punct:]]+', '', 'g') as letters
        from ${from}
        -- Without this the expression is worked out once for each place that uses it: four times the time.
        offset 0
      ) as lettered
    ) as recent
    group by fid`
}

/** Adds the cast counts of the last 30 days. */
export async function loadCastCounts(
  session: Session,
  { index, accounts }: LoadedAccounts,
  nowUnix: number,
  signal: AbortSignal,
): Promise<void> {
  const rows = session<CastCounts[]>`
    ${castCounts(session, session`social.casts where ts >= ${castsSince(nowUnix)}::bigint`)}
  `.cursor(ROWS)
  for await (const batch of rows) {
    signal.throwIfAborted()
    for (const row of batch) {
      const user = index.indexOf(row.fid)
      if (user < 0) continue
      accounts.casts[user] = row.casts
      accounts.linkCasts[user] = row.link_casts
      accounts.wordyCasts[user] = row.wordy_casts
      accounts.differentWordyCasts[user] = row.different_wordy_casts
    }
  }
}

/**
 * Accounts loaded at once with all their endorsements, packed into one `bytea` each: fifty million separate
 * rows would take minutes.
 */
const PACKED_ROWS = 200
const INT8_BYTES = 8

/** Loads all follows, and the most follows of each account within an hour. */
export async function loadFollows(
  session: Session,
  index: FidIndex,
  edges: EdgeList,
  peakFollows: Uint32Array,
  signal: AbortSignal,
): Promise<void> {
  const rows = session<{ fid: number; packed: Buffer }[]>`
    select fid, string_agg(int8send(target_fid) || int8send(ts), ''::bytea) as packed
    from social.follows
    group by fid
  `.cursor(PACKED_ROWS)
  for await (const batch of rows) {
    signal.throwIfAborted()
    for (const { fid, packed } of batch) {
      const user = index.indexOf(fid)
      if (user < 0) continue
      const times = new Float64Array(packed.length / (2 * INT8_BYTES))
      for (let follow = 0; follow < times.length; follow += 1) {
        const offset = follow * 2 * INT8_BYTES
        times[follow] = readInt8(packed, offset + INT8_BYTES)
        const target = index.indexOf(readInt8(packed, offset))
        if (target >= 0) edges.addFollow(user, target)
      }
      peakFollows[user] = mostWithinAnHour(times)
    }
  }
}

/** Loads all likes and recasts, counted per pair of accounts. */
export async function loadLikes(
  session: Session,
  index: FidIndex,
  edges: EdgeList,
  signal: AbortSignal,
): Promise<void> {
  const rows = session<{ fid: number; packed: Buffer }[]>`
    select fid, string_agg(int8send(target_fid), ''::bytea) as packed
    from social.reactions
    group by fid
  `.cursor(PACKED_ROWS)
  for await (const batch of rows) {
    signal.throwIfAborted()
    for (const { fid, packed } of batch) {
      const user = index.indexOf(fid)
      if (user >= 0) addLikes(user, index, packed, edges)
    }
  }
}

/** Groups equal targets after sorting. */
function addLikes(user: number, index: FidIndex, packed: Buffer, edges: EdgeList): void {
  const targets = new Int32Array(packed.length / INT8_BYTES)
  for (let like = 0; like < targets.length; like += 1) {
    targets[like] = index.indexOf(readInt8(packed, like * INT8_BYTES))
  }
  targets.sort()
  for (let first = 0; first < targets.length; ) {
    let next = first + 1
    while (next < targets.length && targets[next] === targets[first]) next += 1
    if (targets[first]! >= 0) edges.addLikes(user, targets[first]!, next - first)
    first = next
  }
}

/** Returns the most timestamps (seconds, unsorted) within an hour. Sorts them in place. */
export function mostWithinAnHour(times: Float64Array): number {
  times.sort()
  let most = 0
  let first = 0
  for (let last = 0; last < times.length; last += 1) {
    while (times[last]! - times[first]! >= HOUR_SECONDS) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}

/** Reads a non-negative `int8` that fits a number, in PostgreSQL's binary format. */
function readInt8(bytes: Buffer, offset: number): number {
  return bytes.readUInt32BE(offset) * 2 ** 32 + bytes.readUInt32BE(offset + 4)
}
