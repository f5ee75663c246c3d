import type { Session } from '../../platform/db/connection.js'
import { farcasterSecondsFromUnixSeconds } from '../../protocol/time.js'
import { FidIndex } from './fid-index.js'
import type { AccountFeatures } from './spam-signals.js'

/** Rows in memory at once. */
const USER_ROWS = 5_000
const CAST_ROWS = 5_000
/** Only recent casts count, since behavior changes and old casts are many. */
const CAST_WINDOW_SECONDS = 30 * 24 * 60 * 60
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

interface UserRow {
  fid: number
  registered_at: number
  profile_parts: number
  score: number | null
}

/** Loads every account; cast and follow features stay 0 until they are loaded. */
export async function loadAccounts(session: Session, signal: AbortSignal): Promise<LoadedAccounts> {
  const fids: number[] = []
  const registeredAt: number[] = []
  const profileParts: number[] = []
  const currentScores: number[] = []
  const rows = session<UserRow[]>`
    select
      fid,
      registered_at,
      num_nonnulls(username, display_name, pfp_url, bio) as profile_parts,
      score
    from social.users
    order by fid
  `.cursor(USER_ROWS)
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

interface CastRow {
  fid: number
  casts: number
  link_casts: number
  wordy_casts: number
  different_wordy_casts: number
}

/**
 * Adds the cast counts of the last 30 days.
 *
 * Two casts are equal when their letters are, without links, digits, spaces, punctuation and case. A photo is
 * not a link.
 */
export async function loadCastCounts(
  session: Session,
  { index, accounts }: LoadedAccounts,
  nowUnix: number,
  signal: AbortSignal,
): Promise<void> {
  const since = farcasterSecondsFromUnixSeconds(nowUnix) - CAST_WINDOW_SECONDS
  const rows = session<CastRow[]>`
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
        select
          fid,
          text,
          embeds,
          regexp_replace(lower(text), 'https?://\\S+|[[:space:][:digit:][:punct:]]+', '', 'g') as letters
        from social.casts
        where ts >= ${since}::bigint
        -- Without this the expression is worked out once for each place that uses it: four times the time.
        offset 0
      ) as lettered
    ) as recent
    group by fid
  `.cursor(CAST_ROWS)
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
