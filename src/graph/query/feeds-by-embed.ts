import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { planForValues } from '../../platform/db/plan-mode.js'
import type { EmbedKind } from '../embed-kind.js'
import { type CastIdentifier, castByIdentifier } from './cast-identifier.js'
import { cursorRow, type FeedCursor, type FeedPageRequest } from './feeds.js'
import { type NearRow, type PageRest, splitNear } from './near-rows.js'
import { visibilityFilter } from './visibility-filter.js'

/** The embeds that a feed selects. */
export type EmbedSelection =
  | {
      /** Spellings of one prefix, each once. */
      readonly prefixes: readonly string[]
      /** The prefixes end with a host: a longer host name does not match. */
      readonly isHost: boolean
    }
  | { readonly kinds: readonly EmbedKind[] }
  /** Pages with a frame or a mini app. */
  | { readonly hasFrame: true }

/** The newest embeds that are checked one by one: a page of 25 of a kind of which every eightieth embed is. */
const MAX_CHECKED_EMBEDS = 2_000

/**
 * Reads casts with a matching embed. A common match is found among the newest embeds, without reading all of
 * them. What is missing then is read by index, from a slice of time behind them, and from all of it if that is not enough.
 */
export async function readEmbedFeed(
  db: Database,
  selection: EmbedSelection,
  pageRequest: FeedPageRequest,
): Promise<FeedCursor[]> {
  const rows = await db<NearRow[]>`
    with everything as materialized (
      select e.ts, e.hash, e.fid, e.url
      from social.url_embeds e
      where (e.ts, e.hash) < ${cursorRow(db, pageRequest)}
      order by e.ts desc, e.hash desc
      limit ${literal(db, MAX_CHECKED_EMBEDS)}
    ),
    near as materialized (
      select e.ts, e.hash
      -- Sorted before the embeds are checked, so that no more are checked than fill the page.
      from (select * from everything order by ts desc, hash desc) e
      where ${visibilityFilter(db, pageRequest, 'e.fid')} and ${isMatchingEmbed(db, selection)}
      order by e.ts desc, e.hash desc
      limit ${pageRequest.count}
    )
    select ts, encode(hash, 'hex') as hash, null::bigint as "startTs" from near
    union all
    select last.ts, encode(last.hash, 'hex'), (select e.ts from everything e order by e.ts desc limit 1)
    from (select e.ts, e.hash from everything e order by e.ts, e.hash limit 1) last
    where (select count(*) from near) < ${pageRequest.count}::bigint
      and (select count(*) from everything) = ${literal(db, MAX_CHECKED_EMBEDS)}
  `
  const { near, rest } = splitNear(rows, pageRequest.count)
  const sorted = near.toSorted((a, b) => b.ts - a.ts || (a.hash < b.hash ? 1 : -1))
  return rest === null ? sorted : [...sorted, ...(await readOlderMatches(db, selection, pageRequest, rest))]
}

/**
 * Matching embeds behind the newest: of the next slice of time, and if these are not enough, of all time. A kind with 20,000
 * older embeds of which a page needs 5: 4,000 rows instead of 22,000. Only a plan for its values knows the length of the slice.
 */
async function readOlderMatches(
  db: Database,
  selection: EmbedSelection,
  pageRequest: FeedPageRequest,
  { last, missing, sliceSeconds }: PageRest,
): Promise<FeedCursor[]> {
  const matches = db`${allMatchingEmbeds(db, selection)} and ${visibilityFilter(db, pageRequest, 'e.fid')}`
  const sliceStart = last.ts - sliceSeconds
  return await planForValues(
    db,
    (transaction) => transaction<FeedCursor[]>`
      with slice as materialized (
        ${matches} and e.ts >= ${sliceStart}::bigint and e.ts <= ${last.ts}::bigint
          -- The last of the newest may have another embed after it, so it is read once more.
          and (e.ts, e.hash) <= (${last.ts}::bigint, decode(${last.hash}, 'hex'))
      ),
      rest as materialized (
        ${matches} and e.ts < ${sliceStart}::bigint and (select count(*) from slice) < ${missing}::bigint
      )
      select e.ts, encode(e.hash, 'hex') as hash
      from (select * from slice union all select * from rest) e
      order by e.ts desc, e.hash desc
      limit ${missing}
    `,
  )
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
  const { prefixes, isHost } = selection
  return anyOf(db, prefixes, (prefix) => {
    const within = db`starts_with(e.url, ${prefix})`
    if (!isHost) return within
    return db`${within} and substr(e.url, length(${prefix}::text) + 1, 1) in ('', '/', '?', '#')`
  })
}

/** The condition that holds for one of the texts at least. Each may use an index: PostgreSQL unites them in a bitmap. */
function anyOf(db: Database, texts: readonly string[], condition: (text: string) => Fragment): Fragment {
  const whole = texts.map((text) => db`(${condition(text)})`).reduce((all, each) => db`${all} or ${each}`)
  return db`(${whole})`
}

/** All matching embeds `e`, by index; more conditions may follow. */
function allMatchingEmbeds(db: Database, selection: EmbedSelection): Fragment {
  if ('kinds' in selection) {
    return db`
      select e.ts, e.hash
      from embeds.urls u
      join social.url_embeds e on e.url = u.url
      where u.kind = any (${db.types.texts(selection.kinds)}::text[])`
  }
  if ('hasFrame' in selection) {
    return db`
      select e.ts, e.hash
      from embeds.urls u
      join social.url_embeds e on e.url = u.url
      where u.metadata ? 'frame'`
  }
  // The last character of Unicode sorts after every continuation of a URL.
  const ranges = anyOf(
    db,
    selection.prefixes,
    (prefix) => db`e.url ~>=~ ${prefix} and e.url ~<~ ${`${prefix}\u{10ffff}`}`,
  )
  return db`
    select e.ts, e.hash
    from social.url_embeds e
    where ${ranges} and ${isMatchingEmbed(db, selection)}`
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
