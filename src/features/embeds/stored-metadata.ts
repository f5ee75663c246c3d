import { type EmbedKind, kindOfUrl } from '../../graph/project/embed-kind.js'
import type { Queryable } from '../../platform/db/connection.js'
import { type EmbedUrlMetadata, emptyMetadata } from './embed-metadata.js'

/** What is known of an embedded URL. */
export interface StoredMetadata {
  /** `PENDING` until it was crawled; undefined for what is never crawled, because it is no URL of the web. */
  readonly metadata: EmbedUrlMetadata | undefined
  readonly kind: EmbedKind | null
}

/** Loads what is known of these URLs, in one statement. Each of them has an entry in the answer. */
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
