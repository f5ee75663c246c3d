import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { planForValues } from '../../platform/db/plan-mode.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import type { SearchTerms } from './cast-search-terms.js'
import type { FeedCursor, FeedPageRequest } from './feeds.js'
import { isShownInChannel } from './feeds-by-parent.js'
import { type NearRow, type PageRest, splitNear } from './near-rows.js'
import { fidsOfUsernames } from './users.js'
import { authorFilter, type Viewer, visibilityFilter } from './visibility-filter.js'

/** A search for casts. */
export interface CastSearch {
  readonly terms: SearchTerms
  readonly authorFid?: number | undefined
  /** Only casts directly below this URL. */
  readonly parentUrl?: string | undefined
  /** Only casts in this channel, with their threads. */
  readonly channelId?: string | undefined
}

/** Whether a search is for the casts of some authors. */
export function isOfAuthor({ terms, authorFid }: CastSearch): boolean {
  return authorFid !== undefined || terms.usernames.length > 0
}

/** The page of a search and its order of time. */
export interface CastSearchPageRequest extends FeedPageRequest {
  readonly order: 'desc_chron' | 'chron'
}

/** The casts from the start of the page whose words are checked one by one. */
const MAX_CHECKED_CASTS = 2_000

/**
 * Casts with these words, in order of time. Common words are found among the first casts, without collecting
 * all casts that have them. Words that are not found there are looked up in the index.
 */
export async function searchCasts(
  db: Database,
  search: CastSearch,
  pageRequest: CastSearchPageRequest,
): Promise<FeedCursor[]> {
  const { tsquery } = search.terms
  const { forwards, backwards } = ordersOf(db, pageRequest)
  // Without words there is nothing for an index to find: read in order.
  if (tsquery === null) {
    return db<FeedCursor[]>`
      select c.ts, encode(c.hash, 'hex') as hash
      from (${orderCandidates(db, search, pageRequest, db`${pageRequest.count}`)}) c
      order by ${forwards}`
  }
  const rows = await db<NearRow[]>`
    with first as materialized (
      ${orderCandidates(db, search, pageRequest, literal(db, MAX_CHECKED_CASTS))}
    ),
    near as materialized (
      select c.ts, c.hash from first c where c.words @@ to_tsquery('simple'::regconfig, ${tsquery}) limit ${pageRequest.count}
    )
    select c.ts, encode(c.hash, 'hex') as hash, null::bigint as "startTs" from near c
    union all
    select last.ts, encode(last.hash, 'hex'), (select c.ts from first c order by ${forwards} limit 1)
    from (select c.ts, c.hash from first c order by ${backwards} limit 1) last
    where (select count(*) from near) < ${pageRequest.count}::bigint
      and (select count(*) from first) >= ${literal(db, MAX_CHECKED_CASTS)}
  `
  const { near, rest } = splitNear(rows, pageRequest.count)
  const sorted = near.toSorted((a, b) => compareIn(pageRequest, a, b))
  return rest === null ? sorted : [...sorted, ...(await searchBehind(db, search, pageRequest, rest))]
}

/**
 * Casts with the words behind a cast: in the next slice of time first, for which two indexes are combined, then all.
 * A word in 2,000 of 400,000 casts: 250 buffers instead of 2,112, 6.8 ms of PostgreSQL instead of 7.6; what is saved
 * grows with the network. A plan for all values knows neither the words nor the slice, so this one is made for its values.
 */
async function searchBehind(
  db: Database,
  search: CastSearch,
  pageRequest: CastSearchPageRequest,
  { last, missing, sliceSeconds }: PageRest,
): Promise<FeedCursor[]> {
  const isBackward = pageRequest.order === 'desc_chron'
  const { forwards } = ordersOf(db, pageRequest)
  const bound = isBackward ? last.ts - sliceSeconds : last.ts + sliceSeconds
  const candidates = db`
    select c.ts, c.hash
    from social.casts c
    where ${conditionsOf(db, search)} and ${shownCondition(db, search, pageRequest)}
      and c.words @@ to_tsquery('simple'::regconfig, ${search.terms.tsquery})`
  return await planForValues(
    db,
    (transaction) => transaction<FeedCursor[]>`
      with slice as materialized (
        ${candidates} and ${
          isBackward
            ? db`c.ts >= ${bound}::bigint and c.ts <= ${last.ts}::bigint`
            : db`c.ts <= ${bound}::bigint and c.ts >= ${last.ts}::bigint`
        }
          and (c.ts, c.hash) ${isBackward ? db`<` : db`>`} (${last.ts}::bigint, decode(${last.hash}, 'hex'))
      ),
      rest as materialized (
        ${candidates} and c.ts ${isBackward ? db`<` : db`>`} ${bound}::bigint
          and (select count(*) from slice) < ${missing}::bigint
      )
      select c.ts, encode(c.hash, 'hex') as hash
      from (select * from slice union all select * from rest) c
      order by ${forwards}
      limit ${missing}
    `,
  )
}

function ordersOf(db: Database, { order }: CastSearchPageRequest) {
  const [latest, earliest] = [db`c.ts desc, c.hash desc`, db`c.ts, c.hash`]
  return order === 'desc_chron'
    ? { forwards: latest, backwards: earliest }
    : { forwards: earliest, backwards: latest }
}

function compareIn({ order }: CastSearchPageRequest, a: FeedCursor, b: FeedCursor): number {
  const ascending = a.ts - b.ts || (a.hash < b.hash ? -1 : 1)
  return order === 'chron' ? ascending : -ascending
}

/** Candidates from the start of the page, whatever their words. */
function orderCandidates(
  db: Database,
  search: CastSearch,
  pageRequest: CastSearchPageRequest,
  limit: Fragment,
): Fragment {
  const { forwards } = ordersOf(db, pageRequest)
  const casts = (more: Fragment) => db`
    select c.ts, c.hash, c.words
    from social.casts c
    where ${conditionsOf(db, search)} and ${shownCondition(db, search, pageRequest)} and ${startOf(db, pageRequest)} ${more}
    order by ${forwards}
    limit ${limit}`
  if (search.channelId === undefined || isOfAuthor(search)) return casts(db``)
  // Each URL of a channel by its own index range: one range for all would be sorted as a whole.
  return db`
    select c.ts, c.hash, c.words
    from channels.urls channel_url
    cross join lateral (${casts(db`and c.root_parent_url = channel_url.url`)}) c
    where channel_url.channel_id = ${search.channelId}
    order by ${forwards}
    limit ${limit}`
}

function startOf(db: Database, { before, order }: CastSearchPageRequest): Fragment {
  if (!before) return db`true`
  const cursorRow = db`(${before.ts}::bigint, decode(${before.hash}, 'hex'))`
  return order === 'desc_chron' ? db`(c.ts, c.hash) < ${cursorRow}` : db`(c.ts, c.hash) > ${cursorRow}`
}

/** The first Farcaster second that does not begin before a moment. */
const secondsUpTo = (unixMs: number): number => farcasterSecondsFromUnixMs(Math.ceil(unixMs / 1000) * 1000)

/** The filters of a search, without its words, as conditions of a cast `c`. */
export function conditionsOf(db: Database, { terms, authorFid, parentUrl, channelId }: CastSearch): Fragment {
  const conditions = [
    ...(authorFid === undefined ? [] : [db`c.fid = ${authorFid}::bigint`]),
    ...(terms.usernames.length === 0 ? [] : [db`c.fid ${authorCondition(db, terms.usernames)}`]),
    ...(terms.notUsernames.length === 0
      ? []
      : [db`c.fid <> all (array(${fidsOfUsernames(db, terms.notUsernames)}))`]),
    ...(parentUrl === undefined ? [] : [db`c.parent_url = ${parentUrl}`]),
    ...(channelId === undefined
      ? []
      : [
          db`c.root_parent_url = any (array(
            select url from channels.urls where channel_id = ${channelId}
          ))`,
          isShownInChannel(db, channelId),
        ]),
    ...(terms.afterMs === null ? [] : [db`c.ts >= ${secondsUpTo(terms.afterMs)}::bigint`]),
    ...(terms.beforeMs === null ? [] : [db`c.ts < ${secondsUpTo(terms.beforeMs)}::bigint`]),
  ]
  return conditions.reduce((all, condition) => db`${all} and ${condition}`, db`true`)
}

/**
 * One author alone, so that the newest casts are read by index; the casts of several authors are sorted
 * together.
 */
function authorCondition(db: Database, usernames: readonly string[]): Fragment {
  return usernames.length === 1
    ? db`= (${oneNamed(db, usernames[0]!)})`
    : db`= any (array(${fidsOfUsernames(db, usernames)}))`
}

function oneNamed(db: Database, username: string): Fragment {
  return db`select named.fid from (${fidsOfUsernames(db, [username])}) named order by named.fid limit 1`
}

/** The condition of a cast `c` that leaves out hidden users. */
export function shownCondition(
  db: Database,
  { terms: { usernames }, authorFid }: CastSearch,
  viewer: Viewer,
): Fragment {
  if (authorFid !== undefined) return authorFilter(db, viewer, db`${authorFid}::bigint`)
  if (usernames.length === 1) return authorFilter(db, viewer, db`(${oneNamed(db, usernames[0]!)})`)
  return visibilityFilter(db, viewer, 'c.fid')
}
