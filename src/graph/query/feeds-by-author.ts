import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import {
  cursorRow,
  type FeedAuthors,
  type FeedPageRequest,
  type FeedRecast,
  type FeedRow,
  isShown,
  readAtMicros,
  readShownRecasts,
} from './feeds.js'
import { isByMember, isModeratedAway } from './feeds-by-parent.js'
import { visibilityFilter } from './visibility-filter.js'

/** The casts of authors that a feed selects. An omitted condition selects everything. */
export interface AuthorSelection {
  readonly fids: readonly number[]
  readonly casts: 'all' | 'without replies' | 'replies' | 'none'
  /** Includes their recasts, at the time of the recast. */
  readonly recasts: boolean
  /** Only casts signed by a key of this app. */
  readonly appFid?: number | undefined
  /** Only casts directly below this URL. */
  readonly parentUrl?: string | undefined
  /** Only casts in these channels, with replies. */
  readonly channelIds?: readonly string[] | undefined
  /** Only casts whose author is a member of its channel, of `channelIds`. */
  readonly membersOnly?: boolean | undefined
}

/** Reads the feed of some authors: the newest of each by index, then the newest of all. */
export async function readAuthorFeed(
  db: Database,
  selection: AuthorSelection,
  pageRequest: FeedPageRequest,
): Promise<FeedRow[]> {
  const { casts, recasts } = selection
  const streams = [
    ...(casts === 'none' ? [] : [castsOf(db, selection, pageRequest)]),
    ...(recasts ? [recastsOf(db, pageRequest)] : []),
  ]
  const [first = db`select null::bigint, null::bytea, null::bigint where false`, second] = streams
  return db<FeedRow[]>`
    select r.ts, encode(r.hash, 'hex') as hash, ${isShown(db, pageRequest, authorsOf(db, selection))} as "isShown",
      ${readAtMicros(db, recasts)} as "readAtMicros"
    from (
      select entry.*
      from unnest(${[...selection.fids]}::bigint[]) as author (fid)
      cross join lateral (${first} ${second ? db`union all ${second}` : db``}) as entry (ts, hash, target_fid)
      order by entry.ts desc, entry.hash desc, entry.target_fid nulls first
      limit ${pageRequest.count}
    ) r
    order by r.ts desc, r.hash desc, r.target_fid nulls first
  `
}

/** Whether recasts in a feed of authors are shown. */
export function readShownInAuthorFeed(
  db: Database,
  selection: AuthorSelection,
  recasts: readonly FeedRecast[],
  pageRequest: FeedPageRequest,
): Promise<boolean[]> {
  return readShownRecasts(db, recasts, pageRequest, authorsOf(db, selection))
}

function authorsOf(db: Database, selection: AuthorSelection): FeedAuthors {
  const fids = [...selection.fids]
  const hasCast = db`exists (
    select
    from social.casts c
    cross join lateral (select c.fid) author
    where c.hash = r.hash and c.fid = any (${fids}::bigint[]) ${conditionsOf(db, selection)}
  )`
  return {
    hasCast: selection.casts === 'none' ? db`false` : hasCast,
    hasRecaster: db`earlier.fid = any (${fids}::bigint[])`,
  }
}

function castsOf(db: Database, selection: AuthorSelection, pageRequest: FeedPageRequest): Fragment {
  return db`(
    select c.ts, c.hash, null::bigint
    from social.casts c
    where c.fid = author.fid and (c.ts, c.hash) < ${cursorRow(db, pageRequest)}
      and ${visibilityFilter(db, pageRequest, 'c.fid')} ${conditionsOf(db, selection)}
    order by c.ts desc, c.hash desc
    limit ${pageRequest.count}
  )`
}

function recastsOf(db: Database, pageRequest: FeedPageRequest): Fragment {
  return db`(
    select r.ts, r.target_hash, r.target_fid
    from social.reactions r
    where r.fid = author.fid and r.type = 2 and (r.ts, r.target_hash) < ${cursorRow(db, pageRequest)}
      and ${visibilityFilter(db, pageRequest, 'r.fid')}
    order by r.ts desc, r.target_hash desc
    limit ${pageRequest.count}
  )`
}

function channelConditions(db: Database, channelIds: readonly string[], membersOnly = false): Fragment[] {
  const ids = db`${db.types.texts(channelIds)}::text[]`
  return [
    db`and c.root_parent_url = any (array(select u.url from channels.urls u where u.channel_id = any (${ids})))`,
    db`and not ${isModeratedAway(db, db`c.root_parent_url`)}`,
    ...(membersOnly ? [db`and ${isByMember(db, ids)}`] : []),
  ]
}

function conditionsOf(db: Database, selection: AuthorSelection): Fragment {
  const { casts, appFid, parentUrl, channelIds, membersOnly } = selection
  const conditions = [
    ...(casts === 'replies' ? [db`and c.parent_hash is not null`] : []),
    ...(casts === 'without replies' ? [db`and c.parent_hash is null`] : []),
    ...(parentUrl === undefined ? [] : [db`and c.parent_url = ${parentUrl}`]),
    ...(appFid === undefined
      ? []
      : [
          // The keys are looked up once per author, not once per cast.
          db`and c.signer = any (array(
            select a.key from social.signer_apps a where a.fid = author.fid and a.app_fid = ${appFid}::bigint
          ))`,
        ]),
    ...(channelIds === undefined ? [] : channelConditions(db, channelIds, membersOnly)),
  ]
  return conditions.reduce((all, condition) => db`${all} ${condition}`, db``)
}
