import type { OembedData } from '../../graph/view/schema/url-metadata.js'
import type { HtmlHead } from './html-metadata.js'
import { cleanText, parseObject, resolveUrl } from './page-text.js'

const MAX_TEXT_LENGTH = 1_000
const MAX_HTML_LENGTH = 4_000

/**
 * Returns a page's JSON oEmbed URL when it is on the page's own host. Other hosts are not asked: requests are
 * serialized per host, and only this host is claimed.
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
    (typeof answer[name] === 'string' ? cleanText(answer[name], MAX_TEXT_LENGTH) : undefined) ?? null
  const url = (name: string) =>
    (typeof answer[name] === 'string' ? resolveUrl(answer[name], address) : undefined) ?? null
  const shared = {
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
  const size = { width: lengthOf(answer.width), height: lengthOf(answer.height) }
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

/** Reads a length in pixels, which some providers write as text. */
function lengthOf(value: unknown): number | null {
  const length = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value
  return typeof length === 'number' && length >= 0 && length <= Number.MAX_SAFE_INTEGER ? length : null
}

/** Returns bounded HTML, or null: truncated markup is worse than none. */
function htmlOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_HTML_LENGTH) return null
  return cleanText(value, MAX_HTML_LENGTH) ?? null
}
