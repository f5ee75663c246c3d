import type { EmbedUrlMetadata, HtmlMetadata } from '../../graph/view/schema/url-metadata.js'

/** Most characters of one URL's metadata as JSON. A feed page shows 25 casts with up to four URLs each. */
export const MAX_METADATA_LENGTH = 16_384

/** Steps that reduce too large metadata, in order. */
const reductions: readonly ((metadata: EmbedUrlMetadata) => EmbedUrlMetadata)[] = [
  withoutFramePage,
  withoutOembed,
  withEssentials,
  withoutFrame,
]

/** Reduces metadata until it fits `MAX_METADATA_LENGTH`. */
export function boundMetadata(metadata: EmbedUrlMetadata): EmbedUrlMetadata {
  let bounded = metadata
  for (const reduce of reductions) {
    if (JSON.stringify(bounded).length <= MAX_METADATA_LENGTH) break
    bounded = reduce(bounded)
  }
  return bounded
}

function withoutFrame({ frame: _, ...rest }: EmbedUrlMetadata): EmbedUrlMetadata {
  return rest
}

/** Drops the frame's copy of the page metadata. */
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

/** Keeps what a preview card shows. Each member is bounded, so the total is too. */
function withEssentials({ html = {}, ...rest }: EmbedUrlMetadata): EmbedUrlMetadata {
  const kept: HtmlMetadata = {}
  for (const name of essentials) if (html[name] !== undefined) kept[name] = html[name]
  if (html.ogImage !== undefined) kept.ogImage = html.ogImage.slice(0, 1)
  return { ...rest, html: kept }
}
