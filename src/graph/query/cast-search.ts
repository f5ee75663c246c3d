import type { Fragment } from 'postgres'
import type { Database } from '../../platform/db/connection.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import type { SearchTerms } from './cast-search-terms.js'
import type { FeedCursor, FeedPageRequest } from './feeds.js'
import { visibilityFilter } from './visibility-filter.js'

/** A search for casts. */
export interface CastSearch {
  readonly terms: SearchTerms
  readonly authorFid?: number | undefined
  /** Only casts directly below this URL. */
  readonly parentUrl?: string | undefined
  /** Only casts in this channel, with their threads. */
  readonly channelId?: string | undefined
}

/** The page of a search and its order of time. */
export interface CastSearchPageRequest extends FeedPageRequest {
  readonly order: 'desc_chron' | 'chron'
}

/**
 * Casts with these words, in order of time. Common words are found among the first casts, without collecting
 * all casts that have them. Words that are not found there are rare: the index collects all of their casts.
 */
export async function searchCasts(
  db: Database,
  search: CastSearch,
  pageRequest: CastSearchPageRequest,
): Promise<FeedCursor[]> {
  const { tsquery } = search.terms
  const isBackward = pageRequest.order === 'desc_chron'
  const forwards = isBackward ? db`c.ts desc, c.hash desc` : db`c.ts, c.hash`
  const backwards = isBackward ? db`c.ts, c.hash` : db`c.ts desc, c.hash desc`
  const candidates = db`
    from social.casts c
    where ${conditionsOf(db, search)} and ${visibilityFilter(db, pageRequest, 'c.fid')}`
  // Without words there is nothing for an index to find: read in order.
  if (tsquery === null) {
    return db<FeedCursor[]>`
      select c.ts, encode(c.hash, 'hex') as hash
      from (${orderCandidates(db, search, pageRequest, db`${pageRequest.count}`)}) c
      order by ${forwards}`
  }
  // The first 2,000 casts are checked one by one before the word index is used.
  const words = db`to_tsquery('simple'::regconfig, ${tsquery})`
  return db<FeedCursor[]>`
    with first as materialized (
      ${orderCandidates(db, search, pageRequest, db`2000`)}
    ),
    near as materialized (
      select c.ts, c.hash from first c where c.words @@ ${words} limit ${pageRequest.count}
    ),
    with_words as materialized (
      select c.ts, c.hash ${candidates} and c.words @@ ${words}
        and (c.ts, c.hash) ${isBackward ? db`<` : db`>`} (
          (select c.ts from first c order by ${backwards} limit 1),
          (select c.hash from first c order by ${backwards} limit 1)
        )
        and (select count(*) from near) < ${pageRequest.count}::bigint
    ),
    far as (select c.ts, c.hash from with_words c order by ${forwards} limit ${pageRequest.count})
    select c.ts, encode(c.hash, 'hex') as hash
    from (select * from near union all select * from far) c
    order by ${forwards}
    limit ${pageRequest.count}
  `
}

/** Candidates from the start of the page, whatever their words. */
function orderCandidates(
  db: Database,
  search: CastSearch,
  pageRequest: CastSearchPageRequest,
  limit: Fragment,
): Fragment {
  const order = pageRequest.order === 'desc_chron' ? db`c.ts desc, c.hash desc` : db`c.ts, c.hash`
  const casts = (more: Fragment) => db`
    select c.ts, c.hash, c.words
    from social.casts c
    where ${conditionsOf(db, search)} and ${visibilityFilter(db, pageRequest, 'c.fid')} and ${startOf(db, pageRequest)} ${more}
    order by ${order}
    limit ${limit}`
  const isOfAuthor = search.authorFid !== undefined || search.terms.usernames.length > 0
  if (search.channelId === undefined || isOfAuthor) return casts(db``)
  // Each URL of a channel by its own index range: one range for all would be sorted as a whole.
  return db`
    select c.ts, c.hash, c.words
    from channels.urls channel_url
    cross join lateral (${casts(db`and c.root_parent_url = channel_url.url`)}) c
    where channel_url.channel_id = ${search.channelId}
    order by ${order}
    limit ${limit}`
}

/** The number of casts with these words in one period. */
export interface CastSearchCount {
  /** 0 for the first period. */
  readonly piece: number
  readonly casts: number
}

/**
 * Counts casts with these words.
 *
 * @param pieces The start of the first period in Farcaster seconds, the length of each, and their number.
 */
export async function countCastsFound(
  db: Database,
  search: CastSearch,
  pieces: { readonly ts: number; readonly seconds: number; readonly count: number },
): Promise<CastSearchCount[]> {
  const { ts, seconds, count } = pieces
  const { tsquery } = search.terms
  return db<CastSearchCount[]>`
    select ((c.ts - ${ts}::bigint) / ${seconds}::bigint)::integer as piece, count(*)::integer as casts
    from social.casts c
    where c.ts >= ${ts}::bigint and c.ts < ${ts + seconds * count}::bigint
      and ${conditionsOf(db, search)}
      ${tsquery === null ? db`` : db`and c.words @@ to_tsquery('simple'::regconfig, ${tsquery})`}
    group by 1
  `
}

function startOf(db: Database, { before, order }: CastSearchPageRequest): Fragment {
  if (!before) return db`true`
  const cursorRow = db`(${before.ts}::bigint, decode(${before.hash}, 'hex'))`
  return order === 'desc_chron' ? db`(c.ts, c.hash) < ${cursorRow}` : db`(c.ts, c.hash) > ${cursorRow}`
}

/** The filters of a search, without its words, as conditions of a cast `c`. */
export function conditionsOf(db: Database, { terms, authorFid, parentUrl, channelId }: CastSearch): Fragment {
  const conditions = [
    ...(authorFid === undefined ? [] : [db`c.fid = ${authorFid}::bigint`]),
    ...(terms.usernames.length === 0 ? [] : [db`c.fid ${authorCondition(db, terms.usernames)}`]),
    ...(terms.notUsernames.length === 0
      ? []
      : [
          db`c.fid <> all (array(
            select u.fid from social.users u where u.username = any (${db.types.texts(terms.notUsernames)}::text[])
          ))`,
        ]),
    ...(parentUrl === undefined ? [] : [db`c.parent_url = ${parentUrl}`]),
    ...(channelId === undefined
      ? []
      : [
          db`c.root_parent_url = any (array(
            select url from channels.urls where channel_id = ${channelId}
          ))`,
        ]),
    ...(terms.afterMs === null ? [] : [db`c.ts >= ${farcasterSecondsFromUnixMs(terms.afterMs)}::bigint`]),
    ...(terms.beforeMs === null ? [] : [db`c.ts < ${farcasterSecondsFromUnixMs(terms.beforeMs)}::bigint`]),
  ]
  return conditions.reduce((all, condition) => db`${all} and ${condition}`, db`true`)
}

/**
 * One author alone, so that the newest casts are read by index; the casts of several authors are sorted
 * together.
 */
function authorCondition(db: Database, usernames: readonly string[]): Fragment {
  return usernames.length === 1
    ? db`= (select u.fid from social.users u where u.username = ${usernames[0]!} order by u.fid limit 1)`
    : db`= any (array(
        select u.fid from social.users u where u.username = any (${db.types.texts(usernames)}::text[])
      ))`
}
