import type { Queryable } from '../../platform/db/connection.js'
import { inPipeline, type Statement } from '../../platform/db/pipeline.js'
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

/** Queues URLs that are not known yet. */
export async function enqueueUrls(db: Queryable, urls: readonly string[]): Promise<void> {
  await inPipeline(urlInserts(db, urls))
}

/**
 * Returns the statements that queue URLs that are not known yet, or only by a crawl on demand. They run in the transaction that
 * stores the casts and wait only for another one that adds the same new URL.
 */
export function urlInserts(db: Queryable, urls: readonly string[]): Statement[] {
  // One order everywhere, so that two transactions with the same new URLs cannot deadlock.
  const rows = [...new Set(urls)].sort().flatMap((url) => {
    const host = hostOf(url)
    return host === null ? [] : [{ url, host, kind: kindOfUrl(url) }]
  })
  if (rows.length === 0) return []
  // Before the insertion: what is deleted meanwhile is inserted again, and what is found here is not deleted any more.
  const adoption = db`
    update embeds.urls u
    set requested_at = null,
      state = case u.state when 'failed' then 'pending' else u.state end,
      metadata = case u.state when 'failed' then null else u.metadata end,
      due = u.lease is null,
      next_attempt_at = case when u.lease is null then now() else u.next_attempt_at end
    from (
      select url from embeds.urls
      where url = any (${db.types.texts(rows.map(({ url }) => url))}::text[]) and requested_at is not null
      order by url
      for update
    ) requested
    where u.url = requested.url
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
