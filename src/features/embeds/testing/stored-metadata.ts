import { type EmbedKind, kindOfUrl } from '../../../graph/embed-kind.js'
import { type EmbedUrlMetadata, emptyMetadata } from '../../../graph/view/schema/url-metadata.js'
import type { Queryable } from '../../../platform/db/connection.js'

/** The stored metadata of an embedded URL. */
export interface StoredMetadata {
  /**
   * `PENDING` before the first crawl; undefined for URLs that are never crawled because they are not http(s).
   */
  readonly metadata: EmbedUrlMetadata | undefined
  readonly kind: EmbedKind | null
}

/** Loads the metadata of URLs with one statement. The result has an entry for each URL. */
export async function metadataOf(
  db: Queryable,
  urls: readonly string[],
): Promise<Map<string, StoredMetadata>> {
  const known = new Map<string, StoredMetadata>(
    urls.map((url) => [url, { metadata: undefined, kind: kindOfUrl(url) }]),
  )
  if (known.size === 0) return known
  const rows = await db<{ url: string; kind: EmbedKind | null; metadata: EmbedUrlMetadata | null }[]>`
    select url, kind, metadata from embeds.urls where url = any (${db.types.texts([...known.keys()])}::text[])`
  for (const { url, kind, metadata } of rows) {
    known.set(url, { kind, metadata: metadata ?? emptyMetadata('PENDING') })
  }
  return known
}
