import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'

/** Orders in which a bulk of casts can be asked for. */
export type CastOrder = 'trending' | 'likes' | 'recasts' | 'replies' | 'recent'

/**
 * How much a cast is talked about now, as SQL over `c` (casts) and `n` (its counters, perhaps null):
 *
 *     (likes + 2·recasts + 2·quotes + 3·replies) / (hours + 2) ^ 1.5
 *
 * A reply costs more than a like, and is worth more. After two hours a cast needs 2.8 times what it needed when it
 * was new, after a day 48 times.
 *
 * @param ts The moment that ages are counted from, in Farcaster seconds.
 */
export function trendingScore(db: Database, ts: number): Fragment {
  return db`(
    coalesce(n.likes + 2 * n.recasts + 2 * n.quotes + 3 * n.replies, 0)
      / power(greatest(${ts}::bigint - c.ts, 0) / 3600.0::float8 + 2, 1.5::float8)
  )`
}

/**
 * Puts casts in order, best first; those that are not here are left out.
 *
 * @param hashes Lower-case hex without 0x.
 * @param ts Now, in Farcaster seconds.
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
    from unnest(${db.types.texts(hashes)}::text[]) as asked (hash)
    join social.casts c on c.hash = decode(asked.hash, 'hex')
    left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
    order by ${rank} desc, c.ts desc, c.hash desc
  `
  return rows.map((row) => row.hash)
}
