import { Parser } from 'htmlparser2'
import { resolveUrl } from './page-text.js'

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

/** Most meta elements to read. */
const METAS_MAX = 500
const LINKS_MAX = 500
const TITLE_LENGTH_MAX = 4_096

/**
 * Depth at which parsing stops.
 *
 * The parser searches its open elements for each closing tag, so nested unclosed elements take quadratic
 * time.
 */
const DEPTH_MAX = 2_000
const CHUNK_LENGTH = 16_384

/** Reads the declarations of a page wherever they are. Any text is accepted. */
export function readHtmlHead(html: string, address: URL): HtmlHead {
  const reader = new HeadReader(address)
  const parser = new Parser(reader)
  for (let at = 0; at < html.length && reader.depth < DEPTH_MAX; at += CHUNK_LENGTH) {
    parser.write(html.slice(at, at + CHUNK_LENGTH))
  }
  parser.end()
  return reader
}

type Attributes = Readonly<Record<string, string | undefined>>

class HeadReader implements HtmlHead {
  readonly first = new Map<string, string>()
  readonly metas: Meta[] = []
  readonly links: Link[] = []
  title: string | undefined
  language: string | undefined
  base: URL
  depth = 0
  #drawings = 0
  #inTitle = false
  #hasBase = false

  constructor(address: URL) {
    this.base = address
  }

  onopentag(name: string, attributes: Attributes): void {
    this.depth += 1
    switch (name) {
      case 'html':
        this.language ??= attributes.lang
        break
      case 'base':
        this.#openBase(attributes.href)
        break
      case 'meta':
        this.#openMeta(attributes)
        break
      case 'link':
        this.#openLink(attributes)
        break
      case 'svg':
        this.#drawings += 1
        break
      case 'title':
        // SVG elements have titles too; only the page's first title counts.
        this.#inTitle = this.title === undefined && this.#drawings === 0
        break
    }
  }

  onclosetag(name: string): void {
    this.depth -= 1
    if (name === 'svg') this.#drawings -= 1
    if (name === 'title') this.#inTitle = false
  }

  ontext(text: string): void {
    if (!this.#inTitle) return
    const title = this.title ?? ''
    if (title.length < TITLE_LENGTH_MAX) this.title = title + text
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
    if (!key || text === undefined || text.trim() === '' || this.metas.length === METAS_MAX) return
    this.metas.push({ property: key, content: text })
    if (!this.first.has(key)) this.first.set(key, text)
  }

  #openLink({ rel, href, type = '' }: Attributes): void {
    if (rel === undefined || href === undefined || this.links.length === LINKS_MAX) return
    this.links.push({ rel: rel.trim().toLowerCase(), href, type: type.trim().toLowerCase() })
  }
}
