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
 * Returns the statement that queues URLs that are not known yet. It runs in the transaction that stores the casts and
 * waits only for another transaction that adds the same new URL.
 */
export function urlInserts(db: Queryable, urls: readonly string[]): Statement[] {
  // One order everywhere, so that two transactions with the same new URLs cannot deadlock.
  const rows = [...new Set(urls)].sort().flatMap((url) => {
    const host = hostOf(url)
    return host === null ? [] : [{ url, host, kind: kindOfUrl(url) }]
  })
  if (rows.length === 0) return []
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
  return [insert]
}
