import { type EmbedKind, kindOfUrl } from '../../graph/project/embed-kind.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import type { CrawlFailure, CrawlResult } from './crawl.js'
import { emptyMetadata } from './embed-metadata.js'

/**
 * The queue is the table: what is due, who is at it, and what came of it. Times are the database's, because a
 * lease is a matter between processes whose clocks differ.
 */

/** The right to fetch a URL, and to be the only one on its host, until the lease ends. */
export interface Claim {
  readonly url: string
  readonly host: string
  readonly lease: string
  /** How many there were since the last success, this one included. */
  readonly attempts: number
}

/** What becomes of a URL whose attempt found nothing. */
export interface RetrySchedule {
  /** How long to wait after the first, second, … failed attempt. There is one attempt more than entries. */
  readonly delaysMs: readonly number[]
}

/**
 * Called in the transaction that stores what was found, or that nothing ever will be, with the kind that the URL
 * has now: for read models that keep the kind of an embed, and to tell of views that show it.
 */
export type OnCrawled = (db: Transaction, url: string, kind: EmbedKind | null) => Promise<void>

/** Any constant does that nothing else in the database locks: the bytes of "embed". */
const CLAIM_LOCK = 0x656d626564

/**
 * Takes up to `count` due URLs, each of another host, of hosts that nobody is visiting. Goes round the hosts
 * in the order of their names, from the one after `after`, so that a host with a million URLs waits its turn
 * like any other; within a host the latest goes first, because that is what people are looking at. Returns
 * nothing while another process is claiming.
 */
export async function claimDue(
  db: Database,
  options: { count: number; leaseMs: number; after: string },
): Promise<Claim[]> {
  const { count, leaseMs, after } = options
  return db.begin(async (tx) => {
    // Two processes that claim at once could both find a host free.
    const [lock] = await tx<
      { taken: boolean }[]
    >`select pg_try_advisory_xact_lock(${CLAIM_LOCK}::bigint) as taken`
    const [due] = await tx<{ any: boolean }[]>`
      select exists (select from embeds.urls where state = 'pending' and next_attempt_at <= now()) as any`
    if (!lock?.taken || !due?.any) return []
    const claims = await claimHostsAfter(tx, after, count, leaseMs)
    if (claims.length === count || after === '') return claims
    return [...claims, ...(await claimHostsAfter(tx, '', count - claims.length, leaseMs))]
  })
}

/** In the order of their hosts. */
async function claimHostsAfter(
  tx: Transaction,
  after: string,
  count: number,
  leaseMs: number,
): Promise<Claim[]> {
  // The hosts are found by stepping through the index, one probe for each. Whether one is being visited is no join: by
  // some plans of that, the hosts would lose their order.
  const claims = await tx<Claim[]>`
    with recursive hosts as (
      (select host from embeds.urls where state = 'pending' and host > ${after} order by host limit 1)
      union all
      select (
        select next.host from embeds.urls next
        where next.state = 'pending' and next.host > hosts.host
        order by next.host limit 1
      )
      from hosts where hosts.host is not null
    ),
    due as (
      select latest.url
      from hosts
      cross join lateral (
        select url from embeds.urls waiting
        where waiting.state = 'pending' and waiting.host = hosts.host and waiting.next_attempt_at <= now()
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
      attempts = attempts + 1
    from due
    where urls.url = due.url
    returning urls.url, urls.host, urls.lease, urls.attempts
  `
  return claims.sort((a, b) => (a.host < b.host ? -1 : 1))
}

/** Takes this URL, due or not, known or not; null while its host is being visited. */
export async function claimUrl(
  db: Database,
  url: string,
  host: string,
  leaseMs: number,
): Promise<Claim | null> {
  return db.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${CLAIM_LOCK}::bigint)`
    const [claim] = await tx<Claim[]>`
      insert into embeds.urls (url, host, kind, lease, next_attempt_at, attempts)
      select
        ${url}, ${host}, ${kindOfUrl(url)}, gen_random_uuid(),
        now() + ${leaseMs}::float8 * interval '1 millisecond', 1
      where not exists (
        select from embeds.urls visited
        where visited.host = ${host} and visited.lease is not null and visited.next_attempt_at > now()
      )
      on conflict (url) do update
      set lease = excluded.lease, next_attempt_at = excluded.next_attempt_at, attempts = urls.attempts + 1
      returning url, host, lease, attempts
    `
    return claim ?? null
  })
}

/** Ends a claim with what was found. Nothing happens if the lease has gone to another. */
export async function storeResult(
  db: Database,
  claim: Claim,
  found: CrawlResult,
  onCrawled?: OnCrawled,
): Promise<void> {
  await db.begin(async (tx) => {
    const stored = await tx`
      update embeds.urls
      set state = 'done', attempts = 0, lease = null, failure = null, crawled_at = now(),
        kind = ${found.kind}, metadata = ${JSON.stringify(found.metadata)}::text::jsonb
      where url = ${claim.url} and lease = ${claim.lease}::uuid
      returning url
    `
    if (stored.length > 0) await onCrawled?.(tx, claim.url, found.kind)
  })
}

/**
 * Ends a claim that found nothing: it becomes due again later, or is given up. What was found before stays,
 * for a page that cannot be reached again is still the page that was embedded.
 */
export async function storeFailure(
  db: Database,
  claim: Claim,
  { failure, isTransient, retryAfterMs }: CrawlFailure,
  { delaysMs }: RetrySchedule,
  onCrawled?: OnCrawled,
): Promise<void> {
  const delayMs = isTransient ? delaysMs[claim.attempts - 1] : undefined
  const state = delayMs === undefined ? 'failed' : 'pending'
  const metadata = delayMs === undefined ? JSON.stringify(emptyMetadata('FAILED')) : null
  await db.begin(async (tx) => {
    const [stored] = await tx<{ state: string; kind: EmbedKind | null }[]>`
      update embeds.urls
      set lease = null,
        failure = ${failure},
        state = case when state = 'done' then 'done' else ${state} end,
        metadata = case when state = 'done' then metadata else ${metadata}::text::jsonb end,
        next_attempt_at = now() + ${Math.max(delayMs ?? 0, retryAfterMs)}::float8 * interval '1 millisecond'
      where url = ${claim.url} and lease = ${claim.lease}::uuid
      returning state, kind
    `
    if (stored?.state === 'failed') await onCrawled?.(tx, claim.url, stored.kind)
  })
}

/** Gives claims back as if they had not been taken: the attempt was broken off from our side. */
export async function releaseClaim(db: Database, claim: Claim): Promise<void> {
  await db`
    update embeds.urls
    set lease = null, next_attempt_at = now(), attempts = attempts - 1
    where url = ${claim.url} and lease = ${claim.lease}::uuid
  `
}
