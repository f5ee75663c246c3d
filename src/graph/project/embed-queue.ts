import type { Queryable } from '../../platform/db/connection.js'
import { kindOfUrl } from './embed-kind.js'

/** Longer URLs are not fetched: casts cannot hold them, and the index could not either. */
const URL_LENGTH_MAX = 2_048

/** The host that a URL is fetched from; null if it is not one that could be fetched. */
export function hostOf(url: string): string | null {
  if (url.length > URL_LENGTH_MAX || url.includes('\0') || !URL.canParse(url)) return null
  const { protocol, hostname } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return null
  return hostname.replace(/\.$/, '')
}

/**
 * Puts URLs that were not seen before in line, in one statement; the others stay as they are. Meant for the
 * transaction that stores the casts: it waits for nobody but another one that brings the same new URL.
 */
export async function enqueueUrls(db: Queryable, urls: readonly string[]): Promise<void> {
  // In one order, so that two transactions with the same new URLs wait for each other in one direction.
  const rows = [...new Set(urls)].sort().flatMap((url) => {
    const host = hostOf(url)
    return host === null ? [] : [{ url, host, kind: kindOfUrl(url) }]
  })
  if (rows.length === 0) return
  await db`
    insert into embeds.urls (url, host, kind)
    select *
    from unnest(
      ${db.types.texts(rows.map(({ url }) => url))}::text[],
      ${db.types.texts(rows.map(({ host }) => host))}::text[],
      ${db.types.texts(rows.map(({ kind }) => kind))}::text[]
    )
    on conflict do nothing
  `
}
