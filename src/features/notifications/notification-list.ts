import type { Fragment } from '#postgres'
import { isReactionTo } from '../../graph/reaction-key.js'
import type { Queryable } from '../../platform/db/connection.js'
import { sql } from '../../platform/db/sql.js'
import { kindMask, kinds, lastGrouped, type NotificationKind } from './kinds.js'

/** Selection of notifications. */
export interface InboxSelection {
  /** The recipient. */
  readonly fid: number
  readonly kinds: readonly NotificationKind[]
  /** The calling app, if it has bans: banned users are not shown. */
  readonly banningAppId?: string | undefined
  /** Only notifications about casts in threads below these URLs, or in these channels. */
  readonly below?: { readonly urls: readonly string[] } | { readonly channelIds: readonly string[] }
}

/** Position in the list: newest first, then by kind, then by cast hash. */
export interface InboxCursor {
  /** Farcaster seconds. */
  readonly ts: number
  readonly kind: number
  /** Hex without 0x; empty for follows. */
  readonly hash: string
}

/** Above every position: hashes are shorter. */
const firstPageCursor: InboxCursor = { ts: Number.MAX_SAFE_INTEGER, kind: 0, hash: '' }
const maxHash = 'ff'.repeat(21)

/**
 * SQL for the common table expressions of a selection: `hidden`, the users that the viewer must not see and the viewer itself;
 * `scans`, one per kind with its own start position; and `moved`, the groups whose newest member is hidden. They are placed at
 * their newest visible member, which is older than the group's row, and are found by the newest member.
 */
export function selectionHead(
  db: Queryable,
  selection: InboxSelection,
  before: InboxCursor = firstPageCursor,
): Fragment {
  const { fid, below, banningAppId } = selection
  const kindIds = selection.kinds.map((kind) => kinds[kind])
  const hashes = kindIds.map((kind) => {
    if (kind === before.kind) return before.hash
    return kind > before.kind ? maxHash : ''
  })
  return db`
    hidden (fid) as materialized (
      select target_fid from social.blocks where fid = ${fid}::bigint
      union
      select fid from social.blocks where target_fid = ${fid}::bigint
      union
      select target_fid from moderation.mutes where fid = ${fid}::bigint
      union
      ${banningAppId === undefined ? db`` : db`select fid from moderation.bans where app_id = ${banningAppId} union`}
      select ${fid}::bigint
    ),
    scans as materialized (
      select k.kind, ${before.ts}::bigint as before_ts, decode(k.hash, 'hex') as before_hash,
        coalesce(s.ts, -1) as seen_ts, ${kindMask(selection.kinds)}::smallint as mask
        ${below ? db`, parent.url` : db``}
      from unnest(${kindIds}::smallint[], ${db.types.texts(hashes)}::text[]) as k (kind, hash)
      left join inbox.seen s on s.fid = ${fid}::bigint and s.kind = k.kind
      ${below ? db`cross join ${urlsOf(db, below)} as parent (url)` : db``}
    ),
    moved as materialized (
      select n.kind, n.hash, newest.ts, k.before_ts, k.before_hash, k.seen_ts
      from hidden h
      cross join lateral (
        select * from inbox.notifications g where g.actor = h.fid and g.fid = ${fid}::bigint and g.kind <= ${lastGrouped} offset 0
      ) n
      join scans k on k.kind = n.kind
      cross join lateral (
        select ${newestVisible} as ts
        offset 0
      ) newest
      where newest.ts is not null and ${isInScan(db, selection)}
    )`
}

function urlsOf(db: Queryable, below: NonNullable<InboxSelection['below']>): Fragment {
  return 'urls' in below
    ? db`unnest(${db.types.texts(below.urls)}::text[])`
    : db`(
        select url from channels.urls where channel_id = any (${db.types.texts(below.channelIds)}::text[])
      )`
}

/** SQL for whether a notification `n` of the kind of a scan `k` is in the selection. */
function isSelected(db: Queryable, { below }: InboxSelection): Fragment {
  return db`n.suppressed_by & k.mask = 0 ${below ? db`and n.root_url = k.url` : db``}`
}

/** SQL for whether it is also shown: its cast may just have been removed. */
function isInScan(db: Queryable, selection: InboxSelection): Fragment {
  return db`${isSelected(db, selection)}
    and (
      n.kind = ${kinds.follows}
      or (select c.fid from social.casts c where c.hash = n.hash) = case when n.kind <= ${lastGrouped} then n.fid else n.actor end
    )`
}

/**
 * SQL for the notifications of a selection behind its cursor, with `kind`, `hash`, `ts` and `seen_ts`, unordered: at most the
 * `limit` newest of each scan. Needs `selectionHead`. Groups and casts that were just removed and not consumed yet are left out.
 */
export function listedNotifications(db: Queryable, selection: InboxSelection, limit: number): Fragment {
  return db`
    select found.kind, found.hash, found.ts, k.seen_ts
    from scans k
    cross join lateral (
      select n.kind, n.hash, n.ts
      from inbox.notifications n
      where n.fid = ${selection.fid}::bigint and n.kind = k.kind
        and (n.ts, n.hash) < (k.before_ts, k.before_hash)
        and n.actor not in (select fid from hidden)
        and ${isInScan(db, selection)}
        and (n.kind > ${lastGrouped} or ${hasVisible})
      order by n.ts desc, n.hash desc
      limit ${limit}
    ) found
    union all
    select m.kind, m.hash, m.ts, m.seen_ts
    from moved m
    where (m.ts, m.hash) < (m.before_ts, m.before_hash)`
}

/**
 * SQL for a row of each unseen notification of a selection, at most `limit`. Needs `selectionHead`. A cast that was removed
 * within the last moments still counts: to look each up, and a member of each group, took a quarter of the time of a page
 * with 20 unseen ones.
 */
export function unseenNotifications(db: Queryable, selection: InboxSelection, limit: number): Fragment {
  return db`
    select
    from scans k
    cross join lateral (
      select
      from inbox.notifications n
      where n.fid = ${selection.fid}::bigint and n.kind = k.kind and n.ts > k.seen_ts
        and n.actor not in (select fid from hidden)
        and ${isSelected(db, selection)}
      -- Else the whole inbox may be read for the first hundred.
      order by n.ts desc, n.hash desc
      limit ${limit}
    ) unseen
    union all
    select from moved m where m.ts > m.seen_ts
    limit ${limit}`
}

const newestVisible = ofGroup(
  ({ visible }) => sql`(select m.ts ${visible} order by m.ts desc, m.fid desc limit 1)`,
)
/** Neither `exists` nor without an order: PostgreSQL may then read a whole table, when few have most of the reactions. */
const hasVisible = ofGroup(
  ({ visible }) => sql`(select true ${visible} order by m.ts desc, m.fid desc limit 1)`,
)

/** The members `m` of a group `n`, as SQL from `from` to conditions: those that are not in `hidden`, and one of them, `h`. */
interface GroupMembers {
  readonly visible: Fragment
  readonly ofHidden: Fragment
  readonly kind: NotificationKind
}

/**
 * SQL for what is read of the members of a group `n`, from the table of its kind. A case of three subqueries costs half of what one
 * over their union costs: PostgreSQL begins and ends each node of a plan, whether or not it is run.
 */
export function ofGroup(read: (members: GroupMembers) => Fragment): Fragment {
  const readFrom = (kind: NotificationKind, all: Fragment, ofHidden: Fragment) =>
    read({ kind, visible: sql`${all} and m.fid not in (select fid from hidden)`, ofHidden })
  const follows = sql`from social.follows m where m.target_fid = n.fid`
  const readReactors = (kind: NotificationKind, type: Fragment) =>
    readFrom(
      kind,
      sql`from social.reactions m where m.type = ${type} and m.target_hash = n.hash and m.target_fid = n.fid`,
      sql`from social.reactions m where m.fid = h.fid and m.type = ${type} and ${isReactionTo(sql, 'm', { hash: sql`n.hash`, fid: sql`n.fid` })}`,
    )
  // The numbers of the kinds.
  return sql`
    case n.kind
      when 1 then ${readFrom('follows', follows, sql`${follows} and m.fid = h.fid`)}
      when 2 then ${readReactors('likes', sql`1`)}
      else ${readReactors('recasts', sql`2`)}
    end`
}
