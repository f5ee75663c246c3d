import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import type { EmbedKind } from '../embed-kind.js'
import { type CastIdentifier, castByIdentifier } from './cast-identifier.js'
import { cursorRow, type FeedCursor, type FeedPageRequest } from './feeds.js'
import { visibilityFilter } from './visibility-filter.js'

/** The embeds that a feed selects. */
export type EmbedSelection =
  | {
      readonly prefix: string
      /** The prefix ends with a host: a longer host name does not match. */
      readonly isHost: boolean
    }
  | { readonly kinds: readonly EmbedKind[] }
  /** Pages with a frame or a mini app. */
  | { readonly hasFrame: true }

/** The newest embeds that are checked one by one: a page of 25 of a kind of which every eightieth embed is. */
const MAX_CHECKED_EMBEDS = 2_000

/**
 * Reads casts with a matching embed. A common match is found among the newest embeds, without reading all of
 * them; a match that is not found there is rare, and all older matches are read by index, if there are older embeds.
 */
export async function readEmbedFeed(
  db: Database,
  selection: EmbedSelection,
  pageRequest: FeedPageRequest,
): Promise<FeedCursor[]> {
  return db<FeedCursor[]>`
    with everything as materialized (
      select e.ts, e.hash, e.fid, e.url
      from social.url_embeds e
      where (e.ts, e.hash) < ${cursorRow(db, pageRequest)}
      order by e.ts desc, e.hash desc
      limit ${db.unsafe(String(MAX_CHECKED_EMBEDS))}
    ),
    near as materialized (
      select e.ts, e.hash
      -- Sorted before the embeds are checked, so that no more are checked than fill the page.
      from (select * from everything order by ts desc, hash desc) e
      where ${visibilityFilter(db, pageRequest, 'e.fid')} and ${isMatchingEmbed(db, selection)}
      order by e.ts desc, e.hash desc
      limit ${pageRequest.count}
    ),
    matching as materialized (
      ${allMatchingEmbeds(db, selection)}
        -- Conditions without a column, checked before any row is read: whether there are older embeds, and room for them.
        and (select count(*) from everything) = ${db.unsafe(String(MAX_CHECKED_EMBEDS))}
        and (select count(*) from near) < ${pageRequest.count}::bigint
        -- The last of the newest may have another embed after it, so it is read once more.
        and (e.ts, e.hash) <= (
          (select e.ts from everything e order by e.ts, e.hash limit 1),
          (select e.hash from everything e order by e.ts, e.hash limit 1)
        )
    ),
    far as (
      select e.ts, e.hash
      from matching e
      where ${visibilityFilter(db, pageRequest, 'e.fid')}
      order by e.ts desc, e.hash desc
      limit ${pageRequest.count}
    )
    select ts, encode(hash, 'hex') as hash
    from (select * from near union all select * from far) found
    order by found.ts desc, found.hash desc
    limit ${pageRequest.count}
  `
}

/** The condition on an embed `e`. */
function isMatchingEmbed(db: Database, selection: EmbedSelection): Fragment {
  if ('kinds' in selection) {
    return db`
      (select u.kind from embeds.urls u where u.url = e.url) = any (${db.types.texts(selection.kinds)}::text[])`
  }
  if ('hasFrame' in selection) {
    return db`exists (select from embeds.urls u where u.url = e.url and u.metadata ? 'frame')`
  }
  const { prefix, isHost } = selection
  const within = db`starts_with(e.url, ${prefix})`
  if (!isHost) return within
  return db`${within} and substr(e.url, length(${prefix}::text) + 1, 1) in ('', '/', '?', '#')`
}

/** All matching embeds `e`, by index; more conditions may follow. */
function allMatchingEmbeds(db: Database, selection: EmbedSelection): Fragment {
  if ('kinds' in selection) {
    return db`
      select e.ts, e.hash, e.fid
      from embeds.urls u
      join social.url_embeds e on e.url = u.url
      where u.kind = any (${db.types.texts(selection.kinds)}::text[])`
  }
  if ('hasFrame' in selection) {
    return db`
      select e.ts, e.hash, e.fid
      from embeds.urls u
      join social.url_embeds e on e.url = u.url
      where u.metadata ? 'frame'`
  }
  // The last character of Unicode sorts after every continuation of a URL.
  const { prefix } = selection
  return db`
    select e.ts, e.hash, e.fid
    from social.url_embeds e
    where e.url ~>=~ ${prefix} and e.url ~<~ ${`${prefix}\u{10ffff}`} and ${isMatchingEmbed(db, selection)}`
}

/** Casts that embed a cast with its right author, newest first; null if that cast is not stored. */
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
