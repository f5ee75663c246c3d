import type { HtmlHead } from './html-head.js'
import { cleanText, resolveUrl } from './page-text.js'

interface OembedShared {
  version: string | null
  title: string | null
  author_name: string | null
  author_url: string | null
  provider_name: string | null
  provider_url: string | null
  cache_age: string | null
  thumbnail_url: string | null
  thumbnail_width: number | null
  thumbnail_height: number | null
}

interface OembedSize {
  width: number | null
  height: number | null
}

/** An oEmbed response (oembed.com §2.3.4). Missing members are null. */
export type OembedData = OembedShared &
  (
    | ({ type: 'rich' | 'video'; html: string | null } & OembedSize)
    | ({ type: 'photo'; url: string | null } & OembedSize)
    | { type: 'link' }
  )

const TEXT_LENGTH_MAX = 1_000
const HTML_LENGTH_MAX = 4_000

/**
 * Returns a page's JSON oEmbed URL when it is on the page's own host.
 *
 * Other hosts are not asked: requests are serialized per host, and only this host is claimed.
 */
export function oembedAddress({ links, base }: HtmlHead, page: URL): string | undefined {
  const link = links.find(({ rel, type }) => rel === 'alternate' && type === 'application/json+oembed')
  const address = resolveUrl(link?.href, base)
  return address !== undefined && new URL(address).hostname === page.hostname ? address : undefined
}

/** Parses an oEmbed response; undefined when it is invalid. */
export function parseOembed(json: string, address: URL): OembedData | undefined {
  const answer = parseObject(json)
  if (answer === undefined) return undefined
  const text = (name: string) =>
    (typeof answer[name] === 'string' ? cleanText(answer[name], TEXT_LENGTH_MAX) : undefined) ?? null
  const url = (name: string) =>
    (typeof answer[name] === 'string' ? resolveUrl(answer[name], address) : undefined) ?? null
  const shared: OembedShared = {
    version: typeof answer.version === 'number' ? String(answer.version) : text('version'),
    title: text('title'),
    author_name: text('author_name'),
    author_url: url('author_url'),
    provider_name: text('provider_name'),
    provider_url: url('provider_url'),
    cache_age: typeof answer.cache_age === 'number' ? String(answer.cache_age) : text('cache_age'),
    thumbnail_url: url('thumbnail_url'),
    thumbnail_width: lengthOf(answer.thumbnail_width),
    thumbnail_height: lengthOf(answer.thumbnail_height),
  }
  const size: OembedSize = { width: lengthOf(answer.width), height: lengthOf(answer.height) }
  switch (answer.type) {
    case 'rich':
    case 'video':
      return { type: answer.type, html: htmlOf(answer.html), ...size, ...shared }
    case 'photo':
      return { type: 'photo', url: url('url'), ...size, ...shared }
    case 'link':
      return { type: 'link', ...shared }
    default:
      return undefined
  }
}

/** Parses a JSON object; undefined for anything else. */
export function parseObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** Reads a length in pixels, which some providers write as text. */
function lengthOf(value: unknown): number | null {
  const length = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value
  return typeof length === 'number' && length >= 0 && length <= Number.MAX_SAFE_INTEGER ? length : null
}

/** Returns bounded HTML, or null: truncated markup is worse than none. */
function htmlOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > HTML_LENGTH_MAX) return null
  return cleanText(value, HTML_LENGTH_MAX) ?? null
}
