import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'

/** The orders of a bulk request for casts. */
export type CastOrder = 'trending' | 'likes' | 'recasts' | 'replies' | 'recent'

/**
 * The current activity around a cast, as SQL over `c` (casts) and `n` (its counters, or null):
 *
 *     (likes + 2·recasts + 2·quotes + 3·replies) / (hours + 2) ^ 1.5
 *
 * A reply takes more effort than a like and weighs more. After two hours a cast needs 2.8 times the activity
 * of a new cast for the same score, after a day 48 times.
 *
 * @param ts The time that ages are relative to, in Farcaster seconds.
 */
export function trendingScore(db: Database, ts: number): Fragment {
  return db`(
    coalesce(n.likes + 2 * n.recasts + 2 * n.quotes + 3 * n.replies, 0)
      / power(greatest(${ts}::bigint - c.ts, 0) / 3600.0::float8 + 2, 1.5::float8)
  )`
}

/**
 * Sorts casts, best first. Casts that are not stored are left out.
 *
 * @param hashes Lowercase hex without 0x.
 * @param ts The current time in Farcaster seconds.
 */
export async function sortCasts(
  db: Database,
  hashes: readonly string[],
  order: CastOrder,
  ts: number,
): Promise<string[]> {
  const rank = {
    trending: trendingScore(db, ts),
    likes: db`coalesce(n.likes, 0)`,
    recasts: db`coalesce(n.recasts, 0)`,
    replies: db`coalesce(n.replies, 0)`,
    recent: db`c.ts`,
  }[order]
  const rows = await db<{ hash: string }[]>`
    select encode(c.hash, 'hex') as hash
    from unnest(${db.types.texts(hashes)}::text[]) as requested (hash)
    join social.casts c on c.hash = decode(requested.hash, 'hex')
    left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    order by ${rank} desc, c.ts desc, c.hash desc
  `
  return rows.map((row) => row.hash)
}
