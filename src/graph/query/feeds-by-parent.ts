import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import { literal } from '../../platform/db/literal.js'
import {
  cursorRow,
  type FeedCursor,
  type FeedPageRequest,
  fullPagePosition,
  roundCount,
  type ScanLimit,
} from './feeds.js'
import { visibilityFilter } from './visibility-filter.js'

/** The casts below parent URLs that a feed selects. */
export interface ParentSelection {
  /** URLs, or channels, which stand for all of their URLs. */
  readonly parents: { readonly urls: readonly string[] } | { readonly channelIds: readonly string[] }
  /** Includes replies in the threads below the URLs. */
  readonly replies: boolean
  /** Only casts whose author is a member or the lead of the channel of the URL. */
  readonly membersOnly?: boolean | undefined
}

/** A page of the feed of some parent URLs. */
export interface ParentFeed {
  /** The URLs that were read. */
  readonly urls: readonly string[]
  /** A scan limit may be the last of them. */
  readonly entries: readonly (FeedCursor | ScanLimit)[]
}

/** Casts below a URL that one request reads to find those of members: a channel may have hundreds of thousands of others. */
const MAX_READ_CASTS = 2_000
/** Members of a channel that are counted to know whether they are listed: a millisecond. A longer list is taken for all. */
const MAX_COUNTED_MEMBERS = 10_000

interface ParentFeedRow {
  urls: string[]
  ts: number[]
  hashes: string[]
  scanLimit?: ScanLimit | null
}

/**
 * Reads the feed of some parent URLs in one row, which halves the work of the driver: the newest of each URL
 * by index, then the newest of all. The count is part of the text: as a parameter it makes the planner expect
 * a tenth of all rows and plan every request anew, which takes longer (0.09 ms) than reading the page (0.04
 * ms).
 */
export async function readParentFeed(
  db: Database,
  { parents, replies, membersOnly }: ParentSelection,
  pageRequest: FeedPageRequest,
): Promise<ParentFeed> {
  const isBelow = db`
    ${replies ? db`c.root_parent_url` : db`c.parent_url`} = parent.url and (c.ts, c.hash) < ${cursorRow(db, pageRequest)}`
  const below = db`
    select c.ts, c.hash, c.fid from social.casts c where ${isBelow} order by c.ts desc, c.hash desc limit ${literal(db, MAX_READ_CASTS)}`
  const [row] = await db<ParentFeedRow[]>`
    with parent as materialized (${urlsOf(db, parents, membersOnly)}),
    entry as materialized (
      select newest.ts, newest.hash
      from parent
      cross join lateral (
        select c.ts, c.hash
        from ${membersOnly ? db`(${below}) c where true` : db`social.casts c where ${isBelow}`}
          and ${visibilityFilter(db, pageRequest, 'c.fid')}
          ${membersOnly ? db`and (not parent.lists_members or ${isMember(db, db`parent.url`)})` : db``}
          ${'channelIds' in parents ? db`and (not parent.is_moderated or not ${isHiddenByModerators(db, db`parent.url`)})` : db``}
        order by c.ts desc, c.hash desc
        limit ${literal(db, roundCount(pageRequest.count))}
      ) newest
      order by newest.ts desc, newest.hash desc
      limit ${pageRequest.count}
    )
    select
      array(select url from parent) as urls,
      array(select ts from entry) as ts,
      array(select encode(hash, 'hex') from entry) as hashes
      ${membersOnly ? db`, (${scanLimit(db, isBelow, pageRequest)}) as "scanLimit"` : db``}
  `
  const { urls, ts, hashes, scanLimit: limit } = row!
  const entries = hashes.map((hash, index) => ({ ts: ts[index]!, hash }))
  if (!limit) return { urls, entries }
  // Casts of other URLs behind it come with the next page: there may be unread ones before them.
  return { urls, entries: [...entries.filter((entry) => isBefore(entry, limit)), limit] }
}

/** SQL for the newest position at which the scan of a `parent` ended before the page of `entry` was full, if it did. */
function scanLimit(db: Database, isBelow: Fragment, pageRequest: FeedPageRequest): Fragment {
  return db`
    select jsonb_build_object('ts', last.ts, 'hash', encode(last.hash, 'hex'), 'isShown', false, 'isScanLimit', true)
    from (${fullPagePosition(db, pageRequest)}) full_page
    cross join parent
    cross join lateral (
      select c.ts, c.hash
      from social.casts c
      where ${isBelow} and (c.ts, c.hash) > (full_page.ts, full_page.hash)
      order by c.ts desc, c.hash desc
      limit 1 offset ${MAX_READ_CASTS - 1}
    ) last
    order by last.ts desc, last.hash desc
    limit 1`
}

/** Whether a position is before another one in a feed, or the same. */
function isBefore(one: FeedCursor, other: FeedCursor): boolean {
  return one.ts > other.ts || (one.ts === other.ts && one.hash >= other.hash)
}

/** A single URL has its own form: for a list of unknown length the planner expects ten. */
function urlsOf(
  db: Database,
  parents: ParentSelection['parents'],
  membersOnly: boolean | undefined,
): Fragment {
  if ('urls' in parents) {
    const all = membersOnly ? db`, false as lists_members` : db``
    return parents.urls.length === 1
      ? db`select ${parents.urls[0]!}::text as url ${all}`
      : db`select url ${all} from unnest(${db.types.texts(parents.urls)}::text[]) as requested (url)`
  }
  const isOfChannel =
    parents.channelIds.length === 1
      ? db`channel_id = ${parents.channelIds[0]!}`
      : db`channel_id = any (${db.types.texts(parents.channelIds)}::text[])`
  return db`
    select u.url,
      exists (select from channels.hidden_casts h where h.channel_id = u.channel_id)
        or exists (select from channels.bans b where b.channel_id = u.channel_id) as is_moderated
      ${membersOnly ? db`, ${listsMembers(db, db`u.channel_id`)} as lists_members` : db``}
    from channels.urls u
    where ${isOfChannel}`
}

/** The condition that the channel of the URL hides the cast `c`, or bans its author. */
export function isHiddenByModerators(db: Database, url: Fragment): Fragment {
  return db`exists (
    select from channels.urls cu
    where cu.url = ${url} and (
      exists (select from channels.hidden_casts h where h.channel_id = cu.channel_id and h.hash = c.hash)
      or exists (select from channels.bans b where b.channel_id = cu.channel_id and b.fid = c.fid)
    )
  )`
}

/**
 * The condition that the moderators of a channel neither hide the cast `c` nor ban its author. For casts of one channel: its lists,
 * which have limits, are hashed once per statement, as hidden users are (`visibilityFilter`).
 */
export function isShownInChannel(db: Database, channelId: string): Fragment {
  return db`(
    c.hash not in (select h.hash from channels.hidden_casts h where h.channel_id = ${channelId})
    and c.fid not in (select b.fid from channels.bans b where b.channel_id = ${channelId})
  )`
}

/** Reads which of these casts the moderators of a channel hide. Hashes are lowercase hex without 0x. */
export async function readHiddenInChannel(
  db: Database,
  channelId: string,
  hashes: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db<{ hash: string }[]>`
    select encode(c.hash, 'hex') as hash
    from social.casts c
    where c.hash = any (array(select decode(h, 'hex') from unnest(${db.types.texts(hashes)}::text[]) h))
      and not ${isShownInChannel(db, channelId)}`
  return new Set(rows.map(({ hash }) => hash))
}

/**
 * The condition that the members of a channel are known. A channel without members is everybody's; and of one that was imported
 * with a count, or with its moderators, and without a list, this server cannot tell who its members are. A long
 * list is not counted to its end, for each page.
 */
function listsMembers(db: Database, channelId: Fragment): Fragment {
  return db`exists (
    select from channels.channels ch
    where ch.id = ${channelId}
      and exists (select from channels.members m where m.channel_id = ch.id)
      -- The lead is a member without a row.
      and least(ch.member_count, ${MAX_COUNTED_MEMBERS}) <= 1 + (
        select count(*)
        from (select from channels.members m where m.channel_id = ch.id limit ${MAX_COUNTED_MEMBERS}) counted
      )
  )`
}

/** The condition that the author of a cast `c` is the lead or a member of the channel of the URL. */
function isMember(db: Database, url: Fragment): Fragment {
  return db`exists (
    select from channels.urls cu
    join channels.channels ch on ch.id = cu.channel_id
    where cu.url = ${url} and (
      ch.lead_fid = c.fid
      or exists (select from channels.members m where m.channel_id = ch.id and m.fid = c.fid)
    )
  )`
}

/** The condition that a cast `c` below a URL of the channels is by a member of its channel, where the members are known. */
export function isByMember(db: Database, channelIds: Fragment): Fragment {
  return db`(
    c.root_parent_url = any (array(
      select u.url from channels.urls u where u.channel_id = any (${channelIds}) and not ${listsMembers(db, db`u.channel_id`)}
    ))
    or ${isMember(db, db`c.root_parent_url`)}
  )`
}
