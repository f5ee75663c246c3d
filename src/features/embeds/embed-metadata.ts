import type { Frame } from './frame.js'
import type { HtmlMetadata } from './html-metadata.js'
import type { ImageSize } from './image-size.js'
import type { VideoMetadata } from './video.js'

/** What was found behind a URL, as embeds and `GET cast/embed/crawl` show it. */
export interface EmbedUrlMetadata {
  _status: EmbedStatus
  content_type: string | null
  /** Bytes. */
  content_length: number | null
  html?: HtmlMetadata
  image?: ImageSize
  video?: VideoMetadata
  frame?: Frame
}

/** What became of the fetch: it waits, it worked, or it was given up. */
export type EmbedStatus = 'PENDING' | 'RESOLVED' | 'FAILED'

/** Of a URL that was not fetched yet, or could not be. */
export function emptyMetadata(status: EmbedStatus): EmbedUrlMetadata {
  return { _status: status, content_type: null, content_length: null }
}

/**
 * A page of a feed shows 25 casts with up to four URLs each, so what one page says of itself has to end
 * somewhere. Characters of JSON.
 */
export const METADATA_LENGTH_MAX = 16_384

/** What goes first when a page says too much, and what is left of it at last. */
const reductions: readonly ((metadata: EmbedUrlMetadata) => EmbedUrlMetadata)[] = [
  withoutFramePage,
  withoutOembed,
  withEssentials,
  withoutFrame,
]

/** The metadata, with as much left out as it takes to stay within `METADATA_LENGTH_MAX`. */
export function boundMetadata(metadata: EmbedUrlMetadata): EmbedUrlMetadata {
  let bounded = metadata
  for (const reduce of reductions) {
    if (JSON.stringify(bounded).length <= METADATA_LENGTH_MAX) break
    bounded = reduce(bounded)
  }
  return bounded
}

function withoutFrame({ frame: _, ...rest }: EmbedUrlMetadata): EmbedUrlMetadata {
  return rest
}

/** A mini app repeats the page that it stands on. */
function withoutFramePage({ frame, ...rest }: EmbedUrlMetadata): EmbedUrlMetadata {
  if (frame === undefined) return rest
  if (!('metadata' in frame)) return { ...rest, frame }
  const { metadata: _, ...app } = frame
  return { ...rest, frame: app }
}

function withoutOembed({ html, ...rest }: EmbedUrlMetadata): EmbedUrlMetadata {
  if (html === undefined) return rest
  const { oembed: _, ...others } = html
  return { ...rest, html: others }
}

const essentials = ['ogTitle', 'ogDescription', 'ogSiteName', 'ogUrl', 'favicon'] as const

/** What a preview card shows. Each member is bounded, so these are within the bound together. */
function withEssentials({ html = {}, ...rest }: EmbedUrlMetadata): EmbedUrlMetadata {
  const kept: HtmlMetadata = {}
  for (const name of essentials) if (html[name] !== undefined) kept[name] = html[name]
  if (html.ogImage !== undefined) kept.ogImage = html.ogImage.slice(0, 1)
  return { ...rest, html: kept }
}
