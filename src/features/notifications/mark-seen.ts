import type { Database } from '../../platform/db/connection.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { kinds, type NotificationKind } from './kinds.js'

/**
 * Seconds that a seen mark may be ahead of our clock.
 *
 * Messages may be dated ten minutes ahead; a mark that far ahead would hide what arrives within those
 * minutes.
 */
const CLOCK_LEAD_SECONDS = 60

/**
 * Marks all current notifications of some kinds as seen.
 *
 * A kind's mark is the time of its newest notification: one row per kind. Later notifications are unseen
 * unless they are dated before the mark.
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
