import type { Fragment } from '#postgres'
import { type DehydratedUserRow, dehydratedUserColumns } from '../../graph/query/dehydrated-user-columns.js'
import type { Database } from '../../platform/db/connection.js'
import { sql } from '../../platform/db/sql.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { kindName, kinds, lastGrouped, type NotificationKind } from './kinds.js'
import {
  type InboxCursor,
  type InboxSelection,
  listedNotifications,
  ofGroup,
  selectionHead,
  unseenNotifications,
} from './notification-list.js'

/** A notification as shown. */
export interface InboxRow extends InboxCursor {
  readonly name: NotificationKind
  readonly isSeen: boolean
  /** Number of members of a group; null for single notifications. */
  readonly count: number | null
  /** Newest members of a group, newest first; null for single notifications. */
  readonly members: readonly InboxMember[] | null
}

/** A member of a group. */
export interface InboxMember {
  readonly fid: number
  /** The app that created a follow; null for reactions and unknown apps. */
  readonly app: DehydratedUserRow | null
}

/** Members of a group that are shown. */
export const SHOWN_MEMBERS = 8

/** Unseen notifications are counted up to this bound. */
export const MAX_UNSEEN = 100

/** SQL for the app whose key signed a follow `m`, if it is known. */
const appOfMember = sql`(
  select ${dehydratedUserColumns(sql, 'app')}
  from social.signer_apps a
  join social.users app on app.fid = a.app_fid
  where a.fid = m.fid and a.key = m.signer
)`

/** SQL for the newest visible members of a group `n`: one more than are shown, if there are more. */
const shownMembers = ofGroup(
  ({ visible, kind }) => sql`(
    select coalesce(
      json_agg(
        json_build_object('fid', m.fid, 'app', ${kind === 'follows' ? appOfMember : sql`null`})
        order by m.ts desc, m.fid desc
      ),
      '[]'
    )
    from (select m.fid, m.ts, m.signer ${visible} order by m.ts desc, m.fid desc limit ${SHOWN_MEMBERS + 1}) m
  )`,
)

/**
 * SQL for the number of visible members of a large group `n`: the stored counter minus hidden members. When there are
 * more hidden users than members, counts the members instead.
 */
const visibleCount = sql`(
  select case
    when total <= (select count(*) from hidden) then ${ofGroup(({ visible }) => sql`(select count(*) ${visible})`)}
    else total - ${ofGroup(
      ({ ofHidden }) =>
        sql`(select count(*) from hidden h cross join lateral (select ${ofHidden} limit 1) member)`,
    )}
  end
  from (
    select coalesce(
      case n.kind
        when ${kinds.follows} then (select follower_count from social.user_counts u where u.fid = n.fid)
        when ${kinds.likes} then (select likes from social.cast_counts c where c.hash = n.hash and c.fid = n.fid)
        else (select recasts from social.cast_counts c where c.hash = n.hash and c.fid = n.fid)
      end,
      0
    ) as total
    -- Else each use of the total would look it up again.
    offset 0
  ) counted
)`

/** Where a page begins, after the last position of the previous page, and its most rows. */
interface InboxPageRequest {
  readonly before?: InboxCursor | undefined
  readonly limit: number
}

/** Reads a page of notifications, newest first. */
export async function readInbox(
  db: Database,
  selection: InboxSelection,
  pageRequest: InboxPageRequest,
): Promise<InboxRow[]> {
  const rows = await db<Omit<InboxRow, 'name'>[]>`
    with ${selectionHead(db, selection, pageRequest.before)}
    select * from (${pageRows(db, selection, pageRequest.limit)}) shown
    order by ts desc, kind, hash collate "C" desc`
  return rows.map(rowOf)
}

/** Reads a page of notifications and counts all unseen ones of the selection, up to `MAX_UNSEEN`. */
export async function readInboxWithUnseen(
  db: Database,
  selection: InboxSelection,
  { before, limit }: InboxPageRequest,
): Promise<{ readonly rows: InboxRow[]; readonly unseen: number }> {
  const found = await db<(Omit<InboxRow, 'name'> & { readonly unseen: number })[]>`
    with ${selectionHead(db, selection, before)}
    select counted.unseen, shown.*
    from (
      select count(*)::integer as unseen
      from (${unseenNotifications(db, selection, MAX_UNSEEN)}) unseen
    ) counted
    left join (${pageRows(db, selection, limit)}) shown on true
    order by shown.ts desc, shown.kind, shown.hash collate "C" desc`
  // Without notifications there is one row, of the count.
  const rows = found.flatMap(({ unseen: _, ...row }) => (row.kind === null ? [] : [rowOf(row)]))
  return { rows, unseen: found[0]!.unseen }
}

function rowOf(row: Omit<InboxRow, 'name'>): InboxRow {
  return { ...row, name: kindName(row.kind), members: row.members?.slice(0, SHOWN_MEMBERS) ?? null }
}

/**
 * SQL for the rows of a page, unordered, with one more than the members that are shown. Needs `selectionHead`. Most groups are
 * small, and counting those that were read is half of the price of looking their counter up.
 */
function pageRows(db: Database, selection: InboxSelection, limit: number): Fragment {
  return db`
    select n.kind, encode(n.hash, 'hex') as hash, n.ts, n.ts <= n.seen_ts as "isSeen", n.members,
      case
        when json_array_length(n.members) > ${SHOWN_MEMBERS} then ${visibleCount}
        else json_array_length(n.members)
      end as count
    from (
      select *, case when n.kind <= ${lastGrouped} then ${shownMembers} end as members
      from (
        select *, ${selection.fid}::bigint as fid
        from (${listedNotifications(db, selection, limit)}) found
        order by ts desc, kind, hash desc
        limit ${limit}
      ) n
      -- Else the members would be read for each use of them.
      offset 0
    ) n`
}

/**
 * Seconds that a seen mark may be ahead of our clock. Messages may be dated ten minutes ahead; a mark that far ahead
 * would hide what arrives within those minutes.
 */
const CLOCK_LEAD_SECONDS = 60

/**
 * Marks all current notifications of some kinds as seen. A kind's mark is the time of its newest notification: one row
 * per kind. Later notifications are unseen unless they are dated before the mark.
 */
export async function markSeen(
  db: Database,
  fid: number,
  list: readonly NotificationKind[],
  nowMs: number,
): Promise<void> {
  const latest = farcasterSecondsFromUnixMs(nowMs) + CLOCK_LEAD_SECONDS
  await db`
    insert into inbox.seen (fid, kind, ts)
    select ${fid}::bigint, k.kind, least(newest.ts, ${latest}::bigint)
    from unnest(${list.map((kind) => kinds[kind])}::smallint[]) as k (kind)
    cross join lateral (
      select n.ts
      from inbox.notifications n
      where n.fid = ${fid}::bigint and n.kind = k.kind
      order by n.ts desc
      limit 1
    ) newest
    on conflict (fid, kind) do update set ts = greatest(seen.ts, excluded.ts)`
}
