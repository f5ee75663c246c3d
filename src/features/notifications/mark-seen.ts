import type { Database } from '../../platform/db/connection.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { kinds, type NotificationKind } from './kinds.js'

/**
 * How far clocks of those who sign may be ahead of ours, in seconds. Messages may be dated ten minutes ahead; a mark
 * that followed them so far would hide what comes within these minutes.
 */
const CLOCK_LEAD_SECONDS = 60

/**
 * Marks a user's notifications of some kinds as seen: all that there are now. A kind's mark is the time of the newest,
 * so that this is one row per kind however many there are. What comes later is unseen, unless it is dated before.
 */
export async function markSeen(
  db: Database,
  {
    fid,
    list,
    nowMs,
  }: { readonly fid: number; readonly list: readonly NotificationKind[]; readonly nowMs: number },
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
    on conflict (fid, kind) do update set ts = greatest(seen.ts, excluded.ts)
  `
}
