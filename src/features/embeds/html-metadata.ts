import { Parser } from 'htmlparser2'
import type {
  HtmlMetadata,
  htmlTexts,
  ImageObject,
  VideoObject,
} from '../../graph/view/schema/url-metadata.js'
import { cleanText, resolveUrl } from './page-text.js'

/** Declarations of a page's head, in order. */
export interface HtmlHead {
  /** First `content` of each `property` or `name`, in lowercase. */
  readonly first: ReadonlyMap<string, string>
  /** All of them, since Open Graph repeats tags for lists. */
  readonly metas: readonly Meta[]
  readonly links: readonly Link[]
  readonly title: string | undefined
  readonly language: string | undefined
  /** Base URL of the page: its address, or its `base`. */
  readonly base: URL
}

/** A `<meta>` element: its content by `property` or `name`. */
export interface Meta {
  readonly property: string
  readonly content: string
}

/** A `<link>`. */
export interface Link {
  /** Lowercase, as written: `shortcut icon`. */
  readonly rel: string
  readonly href: string
  readonly type: string
}

/** A meta element that counts without content, too: an input without a placeholder. */
export const FRAME_INPUT = 'fc:frame:input:text'

/** Most meta elements to read. */
const MAX_METAS = 500
const MAX_LINKS = 500
const MAX_TITLE_LENGTH = 4_096

/**
 * Open elements at which parsing stops. The parser searches them all for each closing tag, and a page of 1 MiB has 260,000
 * of those. Heads are shallow, and so are the bodies that have declarations.
 */
const MAX_DEPTH = 100

/** Reads the declarations of a page wherever they are, up to an element that is too deep. Any text is accepted. */
export function readHtmlHead(html: string, address: URL): HtmlHead {
  const reader = new HeadReader(address)
  new Parser(reader).end(html)
  return reader
}

type Attributes = Partial<Record<string, string>>

/**
 * Attributes to keep of each element. The parser would keep all of them in an object: 1 MiB of different names took 270 to 580 ms
 * of a core, and takes 20 without the objects.
 */
const readAttributes: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['html', new Set(['lang'])],
  ['base', new Set(['href'])],
  ['meta', new Set(['property', 'name', 'itemprop', 'content', 'value'])],
  ['link', new Set(['rel', 'href', 'type'])],
])

class HeadReader implements HtmlHead {
  readonly first = new Map<string, string>()
  readonly metas: Meta[] = []
  readonly links: Link[] = []
  title: string | undefined
  language: string | undefined
  base: URL
  #parser: Parser | undefined
  #depth = 0
  #drawings = 0
  #inTitle = false
  #hasBase = false
  /** Names to keep of the tag that is being read. */
  #names: ReadonlySet<string> | undefined
  #attributes: Attributes = {}

  constructor(address: URL) {
    this.base = address
  }

  onparserinit(parser: Parser): void {
    this.#parser = parser
  }

  onopentagname(name: string): void {
    this.#depth += 1
    // The parser goes no further, not even to the end of the text that it has.
    if (this.#depth > MAX_DEPTH) {
      this.#parser?.pause()
      return
    }
    this.#names = readAttributes.get(name)
    this.#attributes = {}
    if (name === 'svg') this.#drawings += 1
    // SVG elements have titles too; only the page's first title counts.
    if (name === 'title') this.#inTitle = this.title === undefined && this.#drawings === 0
  }

  onattribute(name: string, value: string): void {
    if (!this.#names?.has(name) || this.#attributes[name] !== undefined) return
    this.#attributes[name] = value
    if (name === 'lang') this.language ??= value
  }

  onclosetag(name: string): void {
    this.#depth -= 1
    // These elements have no content: the parser closes them where their tag ends.
    if (name === 'base') this.#openBase(this.#attributes.href)
    if (name === 'meta') this.#openMeta(this.#attributes)
    if (name === 'link') this.#openLink(this.#attributes)
    if (name === 'svg') this.#drawings -= 1
    if (name === 'title') this.#inTitle = false
    this.#names = undefined
  }

  ontext(text: string): void {
    if (!this.#inTitle) return
    const title = this.title ?? ''
    if (title.length < MAX_TITLE_LENGTH) this.title = title + text
  }

  #openBase(href: string | undefined): void {
    if (this.#hasBase || href === undefined) return
    this.#hasBase = true
    const base = resolveUrl(href, this.base)
    if (base !== undefined) this.base = new URL(base)
  }

  #openMeta({ property, name, itemprop, content, value }: Attributes): void {
    const text = content ?? value
    const key = (property ?? name ?? itemprop)?.trim().toLowerCase()
    if (!key || text === undefined || this.metas.length === MAX_METAS) return
    if (text.trim() === '' && key !== FRAME_INPUT) return
    this.metas.push({ property: key, content: text })
    if (!this.first.has(key)) this.first.set(key, text)
  }

  #openLink({ rel, href, type = '' }: Attributes): void {
    if (rel === undefined || href === undefined || this.links.length === MAX_LINKS) return
    this.links.push({ rel: rel.trim().toLowerCase(), href, type: type.trim().toLowerCase() })
  }
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

const MAX_TEXT_LENGTH = 1_000
const MAX_SHORT_TEXT_LENGTH = 100
const MAX_MEDIA = 4
const icons = ['icon', 'shortcut icon', 'apple-touch-icon', 'apple-touch-icon-precomposed', 'mask-icon']

/** Extracts the metadata of a page. All URLs are absolute, all texts are bounded. */
export function htmlMetadata(head: HtmlHead): HtmlMetadata {
  const metadata: HtmlMetadata = {}
  function set(member: (typeof htmlTexts)[number], value: string | undefined): void {
    if (value !== undefined) metadata[member] = value
  }
  for (const [member, properties] of entriesOf(textProperties)) {
    set(member, cleanText(firstOf(head, properties), MAX_TEXT_LENGTH))
  }
  for (const [member, properties] of entriesOf(urlProperties)) {
    set(member, resolveUrl(firstOf(head, properties), head.base))
  }
  if (metadata.ogTitle === undefined) set('ogTitle', cleanText(head.title, MAX_TEXT_LENGTH))
  if (metadata.ogLocale === undefined) set('ogLocale', cleanText(head.language, MAX_SHORT_TEXT_LENGTH))
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

const mediaParts = ['alt', 'type', 'width', 'height'] as const

/**
 * Collects pictures or videos. Structured properties belong to the last one before them (ogp.me, "Arrays"), and change
 * nothing if that one is not kept. One without a root tag begins with its `url` or `secure_url`.
 */
function mediaOf({ metas, base }: HtmlHead, root: 'og:image' | 'og:video'): ImageObject[] {
  const media: ImageObject[] = []
  let current: ImageObject | undefined
  /** The tags of the last one that have its URL. */
  let urlTags: Set<string> | undefined
  for (const { property, content } of metas) {
    if (property === root || property === `${root}:url` || property === `${root}:secure_url`) {
      const url = resolveUrl(content, base)
      if (property === root || urlTags === undefined || urlTags.has(property)) {
        urlTags = new Set([property])
        current = url === undefined || media.length === MAX_MEDIA ? undefined : { url }
        if (current) media.push(current)
      } else {
        // `og:image:url` equals `og:image`; the secure variant is the same over https.
        urlTags.add(property)
        if (current && url !== undefined) current.url = url
      }
      continue
    }
    const part = mediaParts.find((name) => property === `${root}:${name}`)
    if (current === undefined || part === undefined) continue
    const text = cleanText(content, part === 'alt' ? MAX_TEXT_LENGTH : MAX_SHORT_TEXT_LENGTH)
    if (text !== undefined) current[part] ??= text
  }
  return media
}

function twitterImage(head: HtmlHead): ImageObject[] {
  const url = resolveUrl(firstOf(head, ['twitter:image', 'twitter:image:src']), head.base)
  const alt = cleanText(firstOf(head, ['twitter:image:alt']), MAX_TEXT_LENGTH)
  if (url === undefined) return []
  return [alt === undefined ? { url } : { url, alt }]
}
