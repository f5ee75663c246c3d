import { type EmbedKind, kindOfUrl } from '../../graph/embed-kind.js'
import { emptyMetadata } from '../../graph/view/schema/url-metadata.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { runInBatches } from '../../platform/db/run-in-batches.js'
import type { CrawlFailure, CrawlResult } from './crawl.js'

/**
 * The crawl queue in PostgreSQL: due URLs, claims and results. Timestamps are the database's, since leases
 * are shared by processes whose clocks differ.
 */

/** An exclusive right to fetch a URL and to visit its host until the lease ends. */
export interface Claim {
  readonly url: string
  readonly host: string
  readonly lease: string
  /** Attempts of the schedule since the last success, including this one. */
  readonly attempts: number
  /** A caller asked for it: such attempts are not counted, or anyone could use up the schedule of a URL in a minute. */
  readonly isOnDemand: boolean
}

/**
 * Called in the transaction that stores a result, gives up, or waits again for a URL that was given up, with the kind of
 * the URL. Read models keep the kind, and caches of views are invalidated.
 */
export type OnCrawled = (db: Transaction, url: string, kind: EmbedKind | null) => Promise<void>

/** Advisory lock id: the bytes of "embed". */
const CLAIM_LOCK = 0x656d626564

/** Most URLs that one poll marks as due. The next one goes on behind them, whether they are visited or not. */
const MAX_MARKED = 1_000

/**
 * Claims up to `count` due URLs, one per idle host. Goes through the hosts in name order starting after `after`, so
 * that a host with a million URLs does not delay others; within a host the latest URL comes first, since people are
 * looking at it. Returns nothing while another process is claiming.
 */
export async function claimDue(
  db: Database,
  options: { count: number; leaseMs: number; after: string },
): Promise<Claim[]> {
  const { count, leaseMs, after } = options
  return db.begin(async (tx) => {
    const isTaken = await takeClaimLock(tx)
    const [due] = await tx<{ any: boolean }[]>`
      select exists (select from embeds.urls where state = 'pending' and next_attempt_at <= now()) as any`
    if (!isTaken || !due?.any) return []
    await markDue(tx)
    const claims = await claimHostsAfter(tx, after, count, leaseMs)
    if (claims.length === count || after === '') return claims
    return [...claims, ...(await claimHostsAfter(tx, '', count - claims.length, leaseMs))]
  })
}

/**
 * Takes the lock without which two processes could claim the same idle host; false while another one has it. Nobody waits for it
 * with a connection: a process that hangs may keep it for a minute.
 */
async function takeClaimLock(db: Transaction): Promise<boolean> {
  const [lock] = await db<{ isTaken: boolean }[]>`
    select pg_try_advisory_xact_lock(${CLAIM_LOCK}::bigint) as "isTaken"`
  return lock!.isTaken
}

/** Marks URLs whose time has come, so that claims find their hosts without looking at what waits. */
async function markDue(tx: Transaction): Promise<void> {
  await tx`
    with passed as (
      select url from embeds.urls
      where state = 'pending' and not due and next_attempt_at <= now()
      order by next_attempt_at
      limit ${MAX_MARKED}
      for update skip locked
    )
    update embeds.urls
    set due = true
    from passed
    where urls.url = passed.url`
}

/** Returns claims in the order of their hosts. */
async function claimHostsAfter(
  tx: Transaction,
  after: string,
  count: number,
  leaseMs: number,
): Promise<Claim[]> {
  // Steps through the hosts of what is due with one index probe each. Busy hosts are excluded by a subquery instead of a
  // join, because some join plans lose the host order.
  const claims = await tx<Claim[]>`
    with recursive hosts as (
      (select host from embeds.urls where state = 'pending' and due and host > ${after} order by host limit 1)
      union all
      select (
        select next.host from embeds.urls next
        where next.state = 'pending' and next.due and next.host > hosts.host
        order by next.host limit 1
      )
      from hosts where hosts.host is not null
    ),
    due as (
      select latest.url
      from hosts
      cross join lateral (
        select url from embeds.urls waiting
        where waiting.state = 'pending' and waiting.due and waiting.host = hosts.host
          and waiting.next_attempt_at <= now()
        order by waiting.next_attempt_at desc
        limit 1
        for update skip locked
      ) latest
      where hosts.host is not null and (
        select true from embeds.urls visited
        where visited.host = hosts.host and visited.lease is not null and visited.next_attempt_at > now()
        limit 1
      ) is null
      limit ${count}
    )
    update embeds.urls
    set lease = gen_random_uuid(),
      next_attempt_at = now() + ${leaseMs}::float8 * interval '1 millisecond',
      attempts = attempts + 1, due = false
    from due
    where urls.url = due.url
    returning urls.url, urls.host, urls.lease, urls.attempts, false as "isOnDemand"`
  return claims.sort((a, b) => (a.host < b.host ? -1 : 1))
}

/** Claims one URL for a request, due or not, known or not; null while its host is busy, or another process claims some. */
export async function claimUrl(
  db: Database,
  url: string,
  host: string,
  leaseMs: number,
): Promise<Claim | null> {
  return db.begin(async (tx) => {
    if (!(await takeClaimLock(tx))) return null
    const [claim] = await tx<Claim[]>`
      insert into embeds.urls (url, host, kind, lease, next_attempt_at, attempts, due, requested_at)
      select
        ${url}, ${host}, ${kindOfUrl(url)}, gen_random_uuid(),
        now() + ${leaseMs}::float8 * interval '1 millisecond', 0, false, now()
      where not exists (
        select from embeds.urls visited
        where visited.host = ${host} and visited.lease is not null and visited.next_attempt_at > now()
      )
      on conflict (url) do update
      set lease = excluded.lease, next_attempt_at = excluded.next_attempt_at, due = false,
        requested_at = case when urls.requested_at is null then null else excluded.requested_at end
      returning url, host, lease, attempts, true as "isOnDemand"`
    return claim ?? null
  })
}

/** Ends a claim with a result. Does nothing when the lease was lost. */
export async function storeResult(
  db: Database,
  claim: Claim,
  found: CrawlResult,
  onCrawled?: OnCrawled,
): Promise<void> {
  await db.begin(async (tx) => {
    const stored = await tx`
      update embeds.urls
      set state = 'done', attempts = 0, failed_rounds = 0, lease = null, failure = null, crawled_at = now(),
        kind = ${found.kind}, metadata = ${JSON.stringify(found.metadata)}::text::jsonb
      where url = ${claim.url} and lease = ${claim.lease}::uuid
      returning url`
    if (stored.length > 0) await onCrawled?.(tx, claim.url, found.kind)
  })
}

/** Longest and shortest pause, in hours, until a new cast may queue a URL again that was given up. It doubles. */
const MAX_PAUSE_HOURS = 7 * 24
const MIN_PAUSE_HOURS = 1

/**
 * Ends a claim with a failure: schedules a retry or gives up, at once for a URL that only requests have named. The previous
 * result stays, since it describes the page that was embedded. Of what is given up, `next_attempt_at` is when a new cast
 * may queue it again.
 */
export async function storeFailure(
  db: Database,
  claim: Claim,
  { failure, isTransient, maxAttempts = Number.POSITIVE_INFINITY, retryAfterMs }: CrawlFailure,
  delaysMs: readonly number[],
  onCrawled?: OnCrawled,
): Promise<void> {
  const canRetry = isTransient && claim.attempts < maxAttempts
  const delayMs = canRetry ? delaysMs[Math.max(0, claim.attempts - 1)] : undefined
  await db.begin(async (tx) => {
    const [stored] = await tx<{ isOrWasFailed: boolean; kind: EmbedKind | null }[]>`
      with before as (
        select
          url, state,
          case
            when state = 'done' then 'done'
            when requested_at is null and ${delayMs !== undefined} then 'pending'
            -- It was queued again, and has a result.
            when state = 'pending' and metadata is not null then 'done'
            else 'failed'
          end as new_state
        from embeds.urls
        where url = ${claim.url} and lease = ${claim.lease}::uuid
        for update
      )
      update embeds.urls u
      set lease = null,
        due = false,
        failure = ${failure},
        state = before.new_state,
        metadata = case
          when before.new_state = 'failed' then ${JSON.stringify(emptyMetadata('FAILED'))}::text::jsonb
          when before.state <> 'failed' then u.metadata
        end,
        failed_rounds = u.failed_rounds + (before.new_state = 'failed' and ${!claim.isOnDemand})::integer,
        next_attempt_at = now() + greatest(
          ${Math.max(delayMs ?? 0, retryAfterMs)}::float8 * interval '1 millisecond',
          case when before.new_state = 'failed'
            then least(
              ${MIN_PAUSE_HOURS} * 2 ^ greatest(least(u.failed_rounds, 10) - ${claim.isOnDemand ? 1 : 0}, 0),
              ${MAX_PAUSE_HOURS}
            ) * interval '1 hour'
          end
        )
      from before
      where u.url = before.url
      returning 'failed' in (before.state, u.state) as "isOrWasFailed", u.kind`
    if (stored?.isOrWasFailed) await onCrawled?.(tx, claim.url, stored.kind)
  })
}

/** Releases claims without counting an attempt: this process aborted them. */
export async function releaseClaim(db: Database, claim: Claim): Promise<void> {
  await db`
    update embeds.urls
    set lease = null, next_attempt_at = now(), attempts = attempts - ${claim.isOnDemand ? 0 : 1}
    where url = ${claim.url} and lease = ${claim.lease}::uuid`
}

/** Rows deleted per statement, to keep statements short. */
const BATCH = 1_000
const MAX_REQUESTED_DAYS = 7

/** Deletes URLs that only requests have named, and none in the last days. */
export async function deleteRequestedUrls(db: Database): Promise<void> {
  // A cast that a process of the version before has stored leaves the time as it is. The time is compared twice: a cast or a
  // request may hold the row.
  await runInBatches(
    BATCH,
    () => db`
      delete from embeds.urls
      where url in (
        select u.url from embeds.urls u
        where u.requested_at < now() - ${MAX_REQUESTED_DAYS} * interval '1 day'
          and not exists (select from social.url_embeds e where e.url = u.url)
        order by u.requested_at
        limit ${BATCH}
      ) and requested_at < now() - ${MAX_REQUESTED_DAYS} * interval '1 day'`,
  )
}
