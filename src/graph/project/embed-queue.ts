import type { Queryable } from '../../platform/db/connection.js'
import { inPipeline, type Statement } from '../../platform/db/pipeline.js'
import { DAY_SECONDS } from '../../platform/durations.js'
import { parseUrl } from '../../platform/text/parse-url.js'
import { kindOfUrl } from '../embed-kind.js'

/** The longest URL that is crawled, in bytes. Casts cannot hold a longer one, and the index takes 2,704 bytes. */
const MAX_URL_BYTES = 2_048

/** The host of a URL that can be crawled; null for other URLs. */
export function hostOf(url: string): string | null {
  const parsed = Buffer.byteLength(url) > MAX_URL_BYTES || url.includes('\0') ? null : parseUrl(url)
  if (parsed === null) return null
  const { protocol, hostname } = parsed
  if (protocol !== 'https:' && protocol !== 'http:') return null
  return hostname.replace(/\.$/, '')
}

/** Age up to which a cast lets a URL that was given up be crawled again. */
const NEW_CAST_SECONDS = DAY_SECONDS

/** Queues URLs that are not known yet, or are to be looked at again (`urlInserts`). */
export async function enqueueUrls(db: Queryable, urls: readonly string[]): Promise<void> {
  await inPipeline(urlInserts(db, new Map(urls.map((url) => [url, null]))))
}

/** Age of a result, in hours, from which it may be looked up again. Manifests are read once a day. */
const MIN_RESULT_HOURS = 12

/** Queues a URL again whose result is old. The result stays until the next one. */
export async function requeueUrl(db: Queryable, url: string): Promise<void> {
  await db`
    update embeds.urls
    set state = 'pending', attempts = 0, due = true, next_attempt_at = now()
    where url = ${url} and state = 'done' and lease is null
      and crawled_at < now() - ${MIN_RESULT_HOURS} * interval '1 hour'`
}

/**
 * Returns the statements that queue URLs that are not known yet, or only by a crawl on demand, and those that were given up
 * before the pause that `storeFailure` has set: it bounds the visits, whatever the number of casts. They run in the transaction
 * that stores the casts and wait only for another one that adds or queues the same URL.
 *
 * @param urls The URLs, and the Unix seconds of the newest cast with each; null where there is none. A replay stores the casts of
 * years again, and with old ones would have all URLs crawled that were ever given up.
 */
export function urlInserts(db: Queryable, urls: ReadonlyMap<string, number | null>): Statement[] {
  // One order everywhere, so that two transactions with the same new URLs cannot deadlock.
  const rows = [...urls.keys()].sort().flatMap((url) => {
    const host = hostOf(url)
    return host === null ? [] : [{ url, host, kind: kindOfUrl(url) }]
  })
  if (rows.length === 0) return []
  // Before the insertion: what is deleted meanwhile is inserted again, and what is found here is not deleted any more.
  const adoption = db`
    update embeds.urls u
    set requested_at = null,
      state = case u.state when 'failed' then 'pending' else u.state end,
      attempts = case u.state when 'failed' then 0 else u.attempts end,
      metadata = case u.state when 'failed' then null else u.metadata end,
      due = u.lease is null,
      next_attempt_at = case when u.lease is null then now() else u.next_attempt_at end
    from (
      select u.url
      from unnest(
        ${db.types.texts(rows.map(({ url }) => url))}::text[],
        ${rows.map(({ url }) => urls.get(url) ?? null)}::bigint[]
      ) as embedded (url, cast_at)
      join embeds.urls u using (url)
      where u.requested_at is not null
        or (
          u.state = 'failed' and u.next_attempt_at <= now()
            and (cast_at is null or cast_at > extract(epoch from now()) - ${NEW_CAST_SECONDS}::bigint)
        )
      order by u.url
      for update of u
    ) known
    where u.url = known.url
  `
  const insert = db`
    insert into embeds.urls (url, host, kind)
    select *
    from unnest(
      ${db.types.texts(rows.map(({ url }) => url))}::text[],
      ${db.types.texts(rows.map(({ host }) => host))}::text[],
      ${db.types.texts(rows.map(({ kind }) => kind))}::text[]
    )
    on conflict do nothing
  `
  return [adoption, insert]
}
