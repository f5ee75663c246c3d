import type { Database } from '../../platform/db/connection.js'
import { type CastIdentifier, castByIdentifier } from './cast-identifier.js'
import { cursorRow, type FeedCursor, type FeedPageRequest } from './feeds.js'
import { visibilityFilter } from './visibility-filter.js'

/** Casts that embed a cast under the name of its author, newest first; null if that cast is not here. */
export async function readQuotes(
  db: Database,
  cast: CastIdentifier,
  pageRequest: FeedPageRequest,
): Promise<FeedCursor[] | null> {
  const rows = await db<(FeedCursor | { ts: null; hash: null })[]>`
    select quote.ts, encode(quote.hash, 'hex') as hash
    from (${castByIdentifier(db, cast)}) c
    left join lateral (
      select q.ts, q.hash
      from social.quotes q
      where q.quoted_hash = c.hash and q.quoted_fid = c.fid
        and (q.ts, q.hash) < ${cursorRow(db, pageRequest)} and ${visibilityFilter(db, pageRequest, 'q.fid')}
      order by q.ts desc, q.hash desc
      limit ${pageRequest.count}
    ) quote on true
    order by quote.ts desc, quote.hash desc
  `
  if (rows.length === 0) return null
  return rows.filter((row): row is FeedCursor => row.hash !== null)
}
