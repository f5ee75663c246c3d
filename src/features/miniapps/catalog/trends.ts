import type { Database } from '../../../platform/db/connection.js'
import { HOUR_SECONDS } from '../../../platform/durations.js'
import { farcasterSecondsFromUnixMs, unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { trendWindowNames, trendWindows } from '../../trend-windows.js'

/** The longest window, and the one before it. */
const RETAINED_HOURS = (2 * trendWindows['7d']) / HOUR_SECONDS
/** Hours that still change: casts arrive late, and pages are crawled after the casts that embed them. */
const OPEN_HOURS = 3
/** Most hours of one run. The first run on a large network counts two weeks. */
const HOURS_PER_RUN = 48
/** Weight of a user without a score, so that a new network has an order. */
const BASE_WEIGHT = 0.001

/**
 * Counts who shared mini apps lately, and from that the trends of the catalog.
 *
 * @param nowMs Unix milliseconds.
 */
export async function refreshTrends(db: Database, nowMs: number): Promise<void> {
  const now = farcasterSecondsFromUnixMs(nowMs)
  await deleteExpiredShares(db, now)
  for (const hour of await readUncountedHours(db, now)) await countHour(db, hour)
  await computeTrends(db, now)
}

async function deleteExpiredShares(db: Database, now: number): Promise<void> {
  const firstHour = Math.floor(now / HOUR_SECONDS) - RETAINED_HOURS
  await db`delete from miniapps.shares where ts < ${firstHour * HOUR_SECONDS}::bigint`
  await db`delete from miniapps.counted_hours where hour < ${firstHour}::integer`
}

/** Hours without a count, open ones, and once a day all others: a domain may be known only now. Newest first. */
async function readUncountedHours(db: Database, now: number): Promise<number[]> {
  const currentHour = Math.floor(now / HOUR_SECONDS)
  const rows = await db<{ hour: number }[]>`
    select hours.hour
    from generate_series(${currentHour - RETAINED_HOURS}::integer, ${currentHour + 1}::integer) hours (hour)
    left join miniapps.counted_hours c using (hour)
    where c.hour is null or hours.hour > ${currentHour - OPEN_HOURS}::integer
      or c.counted_at < now() - interval '1 day'
    order by hours.hour desc
    limit ${HOURS_PER_RUN}`
  return rows.map(({ hour }) => hour)
}

/**
 * Brings the shares of one hour in line with the embeds that are stored: also those of removed casts go. `embeds.urls` has the
 * host as a manifest does: in lowercase and ASCII. Only mini apps in development have a port in their domain.
 */
async function countHour(db: Database, hour: number): Promise<void> {
  const [start, end] = [hour * HOUR_SECONDS, (hour + 1) * HOUR_SECONDS]
  await db`
    with embedded as (
      select e.hash, e.fid, e.ts, u.host, substring(e.url from '^[^/?#]+//[^/?#]*:([0-9]+)(?=[/?#]|$)') as port
      from social.url_embeds e
      join embeds.urls u using (url)
      where e.ts >= ${start}::bigint and e.ts < ${end}::bigint
    ),
    current as materialized (
      select distinct m.domain, e.hash, e.fid, e.ts
      from embedded e
      join miniapps.manifests m
        on m.domain = case when e.port is null or e.port in ('443', '80') then e.host else e.host || ':' || e.port end
    ),
    removed as (
      delete from miniapps.shares s
      where s.ts >= ${start}::bigint and s.ts < ${end}::bigint
        and not exists (select from current c where c.hash = s.hash and c.domain = s.domain)
    ),
    counted as (
      insert into miniapps.counted_hours (hour, counted_at)
      values (${hour}::integer, now())
      on conflict (hour) do update set counted_at = excluded.counted_at
    )
    insert into miniapps.shares (domain, hash, fid, ts)
    select domain, hash, fid, ts from current
    on conflict do nothing`
}

/**
 * Computes the change of each listed mini app within each window: the weights of the users who shared it or added it
 * within the window, minus those within the window before. A user counts once for each of the two, with its score.
 */
async function computeTrends(db: Database, now: number): Promise<void> {
  const nowUnix = unixSecondsFromFarcasterSeconds(now)
  const since = now - RETAINED_HOURS * HOUR_SECONDS
  const sinceUnix = unixSecondsFromFarcasterSeconds(since)
  await db`
    with windows as (
      select *
      from unnest(${db.types.texts(trendWindowNames)}::text[], ${Object.values(trendWindows)}::bigint[])
        as w (name, seconds)
    ),
    uses as (
      select domain, fid, 'share' as kind, ts from miniapps.shares where ts > ${since}::bigint
      union all
      select a.mini_app_domain, t.fid, 'add', ${now}::bigint - ${nowUnix}::bigint + extract(epoch from t.created_at)::bigint
      from miniapps.tokens t
      join apps.apps a on a.id = t.app_id
      where t.created_at > to_timestamp(${sinceUnix}::bigint) and t.state <> 'invalid'
        and a.mini_app_domain is not null
      union all
      select t.domain, t.fid, 'add', ${now}::bigint - ${nowUnix}::bigint + extract(epoch from t.created_at)::bigint
      from miniapps.host_tokens t
      where t.created_at > to_timestamp(${sinceUnix}::bigint) and t.state = 'enabled'
    ),
    users as (
      select w.name, u.domain, u.kind, u.fid,
        bool_or(u.ts > ${now}::bigint - w.seconds)::integer as is_recent,
        bool_or(u.ts <= ${now}::bigint - w.seconds)::integer as is_earlier
      from windows w
      join uses u on u.ts > ${now}::bigint - 2 * w.seconds and u.ts <= ${now}::bigint
      group by w.name, u.domain, u.kind, u.fid
    ),
    changes as (
      select n.name, n.domain,
        sum((n.is_recent - n.is_earlier) * (coalesce(u.score, 0)::float8 + ${BASE_WEIGHT}::float8)) as change
      from users n
      join social.users u using (fid)
      group by n.name, n.domain
    ),
    unlisted as (
      delete from miniapps.trends t
      where not exists (select from miniapps.manifests m where m.domain = t.domain and m.listed)
    )
    insert into miniapps.trends (time_window, domain, change)
    select w.name, m.domain, coalesce(c.change, 0)
    from windows w
    cross join miniapps.manifests m
    left join changes c on c.name = w.name and c.domain = m.domain
    where m.listed and not exists (
      -- A conflict locks the row and writes to the log, also where nothing is updated: 1.4 MB of 25,000 rows.
      select from miniapps.trends t
      where t.time_window = w.name and t.domain = m.domain and t.change = coalesce(c.change, 0)
    )
    on conflict (time_window, domain) do update set change = excluded.change
    where trends.change <> excluded.change`
}
