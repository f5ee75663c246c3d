import type { Fragment } from '#postgres'
import type { Queryable } from '../../platform/db/connection.js'
import { kindMask, kinds, type NotificationKind } from './kinds.js'

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
 * SQL for the common table expressions of a selection: `hidden`, the users that the viewer must not see and
 * the viewer itself, and `scans`, one per kind with its own start position.
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
        coalesce(s.ts, -1) as seen_ts ${below ? db`, parent.url` : db``}
      from unnest(${kindIds}::smallint[], ${db.types.texts(hashes)}::text[]) as k (kind, hash)
      left join inbox.seen s on s.fid = ${fid}::bigint and s.kind = k.kind
      ${below ? db`cross join ${urlsOf(db, below)} as parent (url)` : db``}
    )`
}

function urlsOf(db: Queryable, below: NonNullable<InboxSelection['below']>): Fragment {
  return 'urls' in below
    ? db`unnest(${db.types.texts(below.urls)}::text[])`
    : db`(
        select url from channels.urls where channel_id = any (${db.types.texts(below.channelIds)}::text[])
      )`
}

/**
 * SQL for the notifications of a selection with `kind`, `hash`, `ts` and `seen_ts`, unordered: at most the `limit`
 * newest of each scan. Needs `selectionHead`. A group whose newest member is hidden is placed at its newest visible
 * member, which is older than the group's row; such groups are found by their newest member. Groups and casts that were
 * just removed and not consumed yet are left out.
 *
 * @param isUnseen The unseen ones, wherever the page begins.
 */
export function selectedNotifications(
  db: Queryable,
  selection: InboxSelection,
  { limit, isUnseen }: { readonly limit: number; readonly isUnseen: boolean },
): Fragment {
  const { fid, below } = selection
  const mask = kindMask(selection.kinds)
  const isInScan = db`
    n.suppressed_by & ${mask}::smallint = 0 ${below ? db`and n.root_url = k.url` : db``}
    and (
      n.kind = ${kinds.follows}
      or (select c.fid from social.casts c where c.hash = n.hash) = case when n.kind <= 3 then n.fid else n.actor end
    )`
  const isWanted = (ts: Fragment) =>
    isUnseen ? db`${ts} > k.seen_ts` : db`(${ts}, n.hash) < (k.before_ts, k.before_hash)`
  return db`
    select found.kind, found.hash, found.ts, k.seen_ts
    from scans k
    cross join lateral (
      select n.kind, n.hash, n.ts
      from inbox.notifications n
      where n.fid = ${fid}::bigint and n.kind = k.kind and ${isWanted(db`n.ts`)}
        and n.actor not in (select fid from hidden)
        and ${isInScan}
        and (n.kind > 3 or exists (${groupMembers(db, fid, 1)}))
      order by n.ts desc, n.hash desc
      limit ${limit}
    ) found
    union all
    select n.kind, n.hash, newest.ts, k.seen_ts
    from hidden h
    cross join lateral (
      select * from inbox.notifications g where g.actor = h.fid and g.fid = ${fid}::bigint and g.kind <= 3 offset 0
    ) n
    join scans k on k.kind = n.kind
    cross join lateral (select * from (${groupMembers(db, fid, 1)}) member limit 1) newest
    where ${isInScan} and ${isWanted(db`newest.ts`)}`
}

/** SQL for the newest visible members of a group `n`, with `fid`, `ts` and `signer`. Needs `hidden`. */
export function groupMembers(db: Queryable, fid: number, limit: number | null): Fragment {
  const limitClause = limit === null ? db`` : db`limit ${limit}`
  const reactors = (kind: number, type: Fragment) => db`
    (
      select r.fid, r.ts, r.signer
      from social.reactions r
      where n.kind = ${kind} and r.type = ${type} and r.target_hash = n.hash and r.target_fid = ${fid}::bigint
        and r.fid not in (select fid from hidden)
      order by r.ts desc, r.fid desc
      ${limitClause}
    )`
  return db`
    (
      select f.fid, f.ts, f.signer
      from social.follows f
      where n.kind = ${kinds.follows} and f.target_fid = ${fid}::bigint
        and f.fid not in (select fid from hidden)
      order by f.ts desc, f.fid desc
      ${limitClause}
    )
    union all
    ${reactors(kinds.likes, db`1`)}
    union all
    ${reactors(kinds.recasts, db`2`)}`
}
