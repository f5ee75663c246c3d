import type { HtmlHead } from './html-head.js'
import type { OembedData } from './oembed.js'
import { cleanText, resolveUrl } from './page-text.js'

/** A picture of a page. Sizes are as the page declares them. */
export interface ImageObject {
  url: string
  alt?: string
  type?: string
  width?: string
  height?: string
}

/** A video of a page. Sizes are texts as the page declares them. */
export interface VideoObject {
  url: string
  type?: string
  width?: string
  height?: string
}

/**
 * Sources of each member: the Open Graph property, or its form without prefix for the namespaces `article`,
 * `product` and `video` (ogp.me). The first one present counts.
 */
const textProperties = {
  modifiedTime: ['modified_time', 'og:modified_time'],
  ogArticleAuthor: ['og:article:author', 'article:author'],
  ogArticleExpirationTime: ['og:article:expiration_time', 'article:expiration_time'],
  ogArticleModifiedTime: ['og:article:modified_time', 'article:modified_time'],
  ogArticlePublishedTime: ['og:article:published_time', 'article:published_time'],
  ogArticlePublisher: ['og:article:publisher', 'article:publisher'],
  ogArticleSection: ['og:article:section', 'article:section'],
  ogArticleTag: ['og:article:tag', 'article:tag'],
  ogAudioType: ['og:audio:type'],
  ogAvailability: ['og:availability'],
  ogDate: ['og:date', 'date'],
  ogDescription: ['og:description', 'twitter:description', 'description'],
  ogDeterminer: ['og:determiner'],
  ogEpisode: ['og:episode'],
  ogLocale: ['og:locale'],
  ogLocaleAlternate: ['og:locale:alternate'],
  ogMovie: ['og:movie'],
  ogPriceAmount: ['og:price:amount'],
  ogPriceCurrency: ['og:price:currency'],
  ogProductAvailability: ['og:product:availability', 'product:availability'],
  ogProductCondition: ['og:product:condition', 'product:condition'],
  ogProductPriceAmount: ['og:product:price:amount', 'product:price:amount'],
  ogProductPriceCurrency: ['og:product:price:currency', 'product:price:currency'],
  ogProductRetailerItemId: ['og:product:retailer_item_id', 'product:retailer_item_id'],
  ogSiteName: ['og:site_name'],
  ogTitle: ['og:title', 'twitter:title'],
  ogType: ['og:type'],
  ogVideoActor: ['og:video:actor', 'video:actor'],
  ogVideoActorId: ['og:video:actor:id'],
  ogVideoActorRole: ['og:video:actor:role', 'video:actor:role'],
  ogVideoDirector: ['og:video:director', 'video:director'],
  ogVideoDuration: ['og:video:duration', 'video:duration'],
  ogVideoOther: ['og:video:other'],
  ogVideoReleaseDate: ['og:video:release_date', 'video:release_date'],
  ogVideoSeries: ['og:video:series', 'video:series'],
  ogVideoTag: ['og:video:tag', 'video:tag'],
  ogVideoTvShow: ['og:video:tv_show'],
  ogVideoWriter: ['og:video:writer', 'video:writer'],
  updatedTime: ['updated_time', 'og:updated_time'],
} as const

/** Sources of the URL members. */
const urlProperties = {
  ogAudio: ['og:audio'],
  ogAudioSecureURL: ['og:audio:secure_url'],
  ogAudioURL: ['og:audio:url'],
  ogLogo: ['og:logo'],
  ogUrl: ['og:url'],
  ogVideoSecureURL: ['og:video:secure_url'],
  ogWebsite: ['og:website'],
} as const

type TextMember = keyof typeof textProperties | keyof typeof urlProperties | 'favicon'

/** Metadata in a page's head; absent values are omitted. */
export type HtmlMetadata = { [Name in TextMember]?: string } & {
  ogImage?: ImageObject[]
  ogVideo?: VideoObject[]
  oembed?: OembedData
}

const TEXT_LENGTH_MAX = 1_000
const SHORT_TEXT_LENGTH_MAX = 100
const MEDIA_MAX = 4
const icons = ['icon', 'shortcut icon', 'apple-touch-icon', 'apple-touch-icon-precomposed', 'mask-icon']

/** Extracts the metadata of a page. All URLs are absolute, all texts are bounded. */
export function htmlMetadata(head: HtmlHead): HtmlMetadata {
  const metadata: HtmlMetadata = {}
  function set(member: TextMember, value: string | undefined): void {
    if (value !== undefined) metadata[member] = value
  }
  for (const [member, properties] of entriesOf(textProperties)) {
    set(member, cleanText(firstOf(head, properties), TEXT_LENGTH_MAX))
  }
  for (const [member, properties] of entriesOf(urlProperties)) {
    set(member, resolveUrl(firstOf(head, properties), head.base))
  }
  if (metadata.ogTitle === undefined) set('ogTitle', cleanText(head.title, TEXT_LENGTH_MAX))
  if (metadata.ogLocale === undefined) set('ogLocale', cleanText(head.language, SHORT_TEXT_LENGTH_MAX))
  if (metadata.ogUrl === undefined) set('ogUrl', linkOf(head, ['canonical']))
  set('favicon', linkOf(head, icons))

  const images = mediaOf(head, 'og:image')
  const ogImage = images.length > 0 ? images : twitterImage(head)
  if (ogImage.length > 0) metadata.ogImage = ogImage
  const ogVideo = mediaOf(head, 'og:video').map(({ alt: _, ...video }): VideoObject => video)
  if (ogVideo.length > 0) metadata.ogVideo = ogVideo
  return metadata
}

function entriesOf<Name extends string, Value>(record: Readonly<Record<Name, Value>>): [Name, Value][] {
  return Object.entries(record) as [Name, Value][]
}

function firstOf({ first }: HtmlHead, properties: readonly string[]): string | undefined {
  const found = properties.find((property) => first.has(property))
  return found === undefined ? undefined : first.get(found)
}

/** Returns the first link of the first relation that exists. */
function linkOf({ links, base }: HtmlHead, rels: readonly string[]): string | undefined {
  for (const rel of rels) {
    const link = links.find((candidate) => candidate.rel === rel)
    const url = resolveUrl(link?.href, base)
    if (url !== undefined) return url
  }
  return undefined
}

/** Collects pictures or videos. Structured properties belong to the last one before them (ogp.me, "Arrays"). */
function mediaOf({ metas, base }: HtmlHead, root: 'og:image' | 'og:video'): ImageObject[] {
  const media: ImageObject[] = []
  for (const { property, content } of metas) {
    if (!property.startsWith(root)) continue
    const part = property.slice(root.length + 1)
    const current = media.at(-1)
    if (property === root || part === 'url' || part === 'secure_url') {
      const url = resolveUrl(content, base)
      if (url === undefined) continue
      // `og:image:url` equals `og:image`; the secure variant is the same over https.
      if (part !== '' && current !== undefined) current.url = url
      else if (media.length < MEDIA_MAX) media.push({ url })
    } else if (
      current !== undefined &&
      (part === 'alt' || part === 'type' || part === 'width' || part === 'height')
    ) {
      const text = cleanText(content, part === 'alt' ? TEXT_LENGTH_MAX : SHORT_TEXT_LENGTH_MAX)
      if (text !== undefined) current[part] ??= text
    }
  }
  return media
}

function twitterImage(head: HtmlHead): ImageObject[] {
  const url = resolveUrl(firstOf(head, ['twitter:image', 'twitter:image:src']), head.base)
  const alt = cleanText(firstOf(head, ['twitter:image:alt']), TEXT_LENGTH_MAX)
  if (url === undefined) return []
  return [alt === undefined ? { url } : { url, alt }]
}
