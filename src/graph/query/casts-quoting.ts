import type { Database } from '../../platform/db/connection.js'
import { type CastIdentifier, castNamed } from './casts-named.js'
import { shownTo } from './casts-shown-to.js'
import { type FeedPart, type FeedPlace, placeOf } from './feeds.js'

/** Casts that embed a cast under the name of its author, newest first; null if that cast is not here. */
export async function readQuotes(
  db: Database,
  cast: CastIdentifier,
  part: FeedPart,
): Promise<FeedPlace[] | null> {
  const rows = await db<(FeedPlace | { ts: null; hash: null })[]>`
    select quote.ts, encode(quote.hash, 'hex') as hash
    from (${castNamed(db, cast)}) c
    left join lateral (
      select q.ts, q.hash
      from social.quotes q
      where q.quoted_hash = c.hash and q.quoted_fid = c.fid
        and (q.ts, q.hash) < ${placeOf(db, part)} and ${shownTo(db, part, 'q.fid')}
      order by q.ts desc, q.hash desc
      limit ${part.count}
    ) quote on true
    order by quote.ts desc, quote.hash desc
  `
  if (rows.length === 0) return null
  return rows.filter((row): row is FeedPlace => row.hash !== null)
}
