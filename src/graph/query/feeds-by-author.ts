import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import { ReactionType } from '../../protocol/definitions.js'
import {
  cursorRow,
  type FeedAuthors,
  type FeedPageRequest,
  type FeedRecast,
  type FeedRow,
  fullPagePosition,
  isShown,
  readShownRecasts,
  recastsUntilMicros,
} from './feeds.js'
import { isByMember, isHiddenByModerators } from './feeds-by-parent.js'
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

/**
 * Casts that a page of some of an author's casts reads at most, by the number of authors: a bot has hundreds of thousands, of
 * which none may be in a channel. The number is part of the text of a statement, so there are few.
 */
const MAX_READ_CASTS = [
  { authors: 1, each: 50_000 },
  { authors: 10, each: 5_000 },
  { authors: 100, each: 500 },
]

/**
 * Reads the feed of some authors: the newest of each by index, then the newest of all. Of a selection that leaves out casts of
 * an author, a page may end before it is full, at a scan limit.
 */
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
  const columns = db`
    r.ts, encode(r.hash, 'hex') as hash, ${isShown(db, pageRequest, authorsOf(db, selection))} as "isShown",
    ${recastsUntilMicros(db, recasts)} as "recastsUntilMicros"`
  const newest = db`
    select entry.*
    from unnest(${[...selection.fids]}::bigint[]) as author (fid)
    cross join lateral (${first} ${second ? db`union all ${second}` : db``}) as entry (ts, hash, target_fid)
    order by entry.ts desc, entry.hash desc, entry.target_fid nulls first
    limit ${pageRequest.count}`
  if (!isSelective(selection)) {
    return await db<FeedRow[]>`
      select ${columns} from (${newest}) r order by r.ts desc, r.hash desc, r.target_fid nulls first`
  }
  const rows = await db<FeedRow[]>`
    with entry as materialized (${newest}),
    scan_limit as materialized (
      select last.ts, last.hash
      from (${fullPagePosition(db, pageRequest)}) full_page
      cross join unnest(${[...selection.fids]}::bigint[]) as author (fid)
      cross join lateral (
        select c.ts, c.hash
        from social.casts c
        where c.fid = author.fid and (c.ts, c.hash) < ${cursorRow(db, pageRequest)}
          and (c.ts, c.hash) > (full_page.ts, full_page.hash)
        order by c.ts desc, c.hash desc
        limit 1 offset ${literal(db, maxScanned(selection) - 1)}
      ) last
      where ${visibilityFilter(db, pageRequest, 'author.fid')}
      order by last.ts desc, last.hash desc
      limit 1
    )
    select ts, hash, "isShown", "recastsUntilMicros", "isScanLimit"
    from (
      select ${columns}, r.target_fid, false as "isScanLimit"
      from entry r
      -- What is behind the limit comes with the next page: there may be unread casts of others before it.
      where not exists (select from scan_limit l where (r.ts, r.hash) < (l.ts, l.hash))
      union all
      select ts, encode(hash, 'hex'), false, ${recastsUntilMicros(db, recasts)}, null, true from scan_limit
    ) r
    order by ts desc, hash desc, "isScanLimit", target_fid nulls first`
  return rows.map(({ isScanLimit, ...row }) => (isScanLimit ? { ...row, isScanLimit } : row))
}

/** Whether a selection leaves out casts of an author whom the viewer sees. */
function isSelective({ casts, appFid, parentUrl, channelIds }: AuthorSelection): boolean {
  if (casts === 'none') return false
  return casts !== 'all' || appFid !== undefined || parentUrl !== undefined || channelIds !== undefined
}

function maxScanned({ fids }: AuthorSelection): number {
  return (MAX_READ_CASTS.find(({ authors }) => fids.length <= authors) ?? MAX_READ_CASTS.at(-1)!).each
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
    recasters: db`select fid from unnest(${fids}::bigint[]) as fid`,
  }
}

function castsOf(db: Database, selection: AuthorSelection, pageRequest: FeedPageRequest): Fragment {
  const bound = isSelective(selection) ? db`limit ${literal(db, maxScanned(selection))}` : db``
  // The author, and not each cast: all casts of one who is hidden would be read.
  return db`(
    select c.ts, c.hash, null::bigint
    from (
      select c.*
      from social.casts c
      where c.fid = author.fid and (c.ts, c.hash) < ${cursorRow(db, pageRequest)}
      order by c.ts desc, c.hash desc
      ${bound}
    ) c
    where ${visibilityFilter(db, pageRequest, 'author.fid')} ${conditionsOf(db, selection)}
    order by c.ts desc, c.hash desc
    limit ${pageRequest.count}
  )`
}

function recastsOf(db: Database, pageRequest: FeedPageRequest): Fragment {
  return db`(
    select r.ts, r.target_hash, r.target_fid
    from social.reactions r
    where r.fid = author.fid and r.type = ${literal(db, ReactionType.RECAST)} and (r.ts, r.target_hash) < ${cursorRow(db, pageRequest)}
      and ${visibilityFilter(db, pageRequest, 'author.fid')}
    order by r.ts desc, r.target_hash desc
    limit ${pageRequest.count}
  )`
}

function channelConditions(db: Database, channelIds: readonly string[], membersOnly = false): Fragment[] {
  const ids = db`${db.types.texts(channelIds)}::text[]`
  return [
    db`and c.root_parent_url = any (array(select u.url from channels.urls u where u.channel_id = any (${ids})))`,
    db`and not ${isHiddenByModerators(db, db`c.root_parent_url`)}`,
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
