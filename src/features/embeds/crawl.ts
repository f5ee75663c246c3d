import { type EmbedKind, kindOfContentType, kindOfUrl, mediaTypeOf } from '../../graph/embed-kind.js'
import type { EmbedUrlMetadata, HtmlMetadata, OembedData } from '../../graph/view/schema/url-metadata.js'
import { DAY_MS } from '../../platform/durations.js'
import type { AnswerHead, NetAnswer, NetClient } from '../../platform/outbound/net-client.js'
import { isNetFailure, isTransient } from '../../platform/outbound/net-failure.js'
import { boundMetadata } from './embed-metadata.js'
import { frameOf } from './frame.js'
import { htmlMetadata, readHtmlHead } from './html-metadata.js'
import { MAX_IMAGE_BYTES, type MeasuredImage, measureImage } from './image-size.js'
import { oembedAddress, parseOembed } from './oembed.js'
import { cleanText, decodePage, omitUndefined } from './page-text.js'
import { readMp4, readPlaylist } from './video.js'

/** The result of a crawl. */
export interface CrawlResult {
  readonly metadata: EmbedUrlMetadata
  readonly kind: EmbedKind | null
}

/** A failed crawl. */
export interface CrawlFailure {
  /** The reason, for logs and records. */
  readonly failure: string
  /** Whether a retry may succeed. */
  readonly isTransient: boolean
  /** Attempts after which it is given up, if before the end of the schedule. */
  readonly maxAttempts?: number
  /** Retry-After of the server in milliseconds; 0 without one. */
  readonly retryAfterMs: number
}

/** Deadline of the page including redirects. */
export const CRAWL_DEADLINE_MS = 15_000
/** Deadline of the oEmbed request. */
export const OEMBED_DEADLINE_MS = 5_000

const MAX_REDIRECTS = 5
const MAX_PAGE_BYTES = 1_048_576
const MAX_PLAYLIST_BYTES = 262_144
const MAX_VIDEO_BYTES = 262_144
const MAX_OEMBED_BYTES = 65_536
const MAX_CONTENT_TYPE_LENGTH = 255
const MAX_RETRY_AFTER_MS = DAY_MS
/** Attempts at a name that does not exist: it may have been registered a moment ago. Anybody can make up any number. */
const MAX_UNKNOWN_HOST_ATTEMPTS = 3
/** Attempts at a page that refuses its visitor, as protection from bots does for a minute. */
const MAX_REFUSED_ATTEMPTS = 3

const headers = {
  accept: 'text/html,application/xhtml+xml,image/*,video/*;q=0.9,*/*;q=0.8',
  'accept-language': 'en',
}

/** Status codes of a refusal, which may end soon or never. */
const refusedStatuses: ReadonlySet<number> = new Set([401, 403, 410])

/** Transient status codes. A page may appear a moment after the cast about it. */
const transientStatuses: ReadonlySet<number> = new Set([404, 408, 423, 425, 429])

/** Media types that mean "unknown". */
const unknownMediaTypes: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
])

/** Fetches a URL once and extracts its metadata, reading only as much as needed. */
export async function crawl(
  client: NetClient,
  url: string,
  signal: AbortSignal,
): Promise<CrawlResult | CrawlFailure> {
  const answer = await client.request({
    url,
    headers,
    deadlineMs: CRAWL_DEADLINE_MS,
    maxBytes: maxBytesFor,
    maxRedirects: MAX_REDIRECTS,
    signal,
  })
  if (isNetFailure(answer)) {
    return {
      failure: `${answer.kind}: ${answer.detail}`,
      isTransient: isTransient(answer),
      ...(answer.kind === 'unknown-host' && { maxAttempts: MAX_UNKNOWN_HOST_ATTEMPTS }),
      retryAfterMs: 0,
    }
  }
  const { status } = answer
  if (status < 200 || status >= 300) {
    return {
      failure: `status ${status}`,
      isTransient: transientStatuses.has(status) || refusedStatuses.has(status) || status >= 500,
      ...(refusedStatuses.has(status) && { maxAttempts: MAX_REFUSED_ATTEMPTS }),
      retryAfterMs: retryAfterMs(answer),
    }
  }
  return describe(client, url, answer, signal)
}

/** Whether the crawl succeeded. */
export function isCrawlResult(result: CrawlResult | CrawlFailure): result is CrawlResult {
  return 'metadata' in result
}

/** Returns the media kind that the headers declare; undefined without one. */
function declaredKind({ headers }: AnswerHead): EmbedKind | null | undefined {
  const contentType = headers['content-type'] ?? ''
  return unknownMediaTypes.has(mediaTypeOf(contentType)) ? undefined : kindOfContentType(contentType)
}

function maxBytesFor(head: AnswerHead): number {
  if (head.status < 200 || head.status >= 300) return 0
  const kind = declaredKind(head)
  // An undeclared type is detected by magic numbers or the URL's extension.
  if (kind === undefined) return Math.max(MAX_IMAGE_BYTES, MAX_VIDEO_BYTES)
  if (kind === 'text/html') return MAX_PAGE_BYTES
  if (kind === 'application/x-mpegurl') return MAX_PLAYLIST_BYTES
  if (kind?.startsWith('video')) return MAX_VIDEO_BYTES
  return kind?.startsWith('image') ? MAX_IMAGE_BYTES : 0
}

async function describe(
  client: NetClient,
  url: string,
  answer: NetAnswer,
  signal: AbortSignal,
): Promise<CrawlResult> {
  const contentType = answer.headers['content-type'] ?? ''
  const metadata: EmbedUrlMetadata = {
    _status: 'RESOLVED',
    content_type: cleanText(contentType, MAX_CONTENT_TYPE_LENGTH) ?? null,
    content_length: lengthOf(answer),
  }
  const declared = declaredKind(answer)
  // Anybody can send an image that is slow to measure, so it is measured once.
  const image =
    declared === undefined || declared?.startsWith('image') ? measureImage(answer.bytes) : undefined
  const kind = declared === undefined ? (image?.kind ?? kindOfUrl(answer.url) ?? kindOfUrl(url)) : declared
  if (kind === 'text/html') {
    return {
      kind,
      metadata: boundMetadata({ ...metadata, ...(await readPage(client, url, answer, signal)) }),
    }
  }
  return { kind, metadata: { ...metadata, ...mediaMetadata(kind, answer, image) } }
}

function mediaMetadata(
  kind: EmbedKind | null,
  { bytes, isTruncated }: NetAnswer,
  image: MeasuredImage | undefined,
): Pick<EmbedUrlMetadata, 'image' | 'video'> {
  if (kind?.startsWith('image')) return omitUndefined({ image: image?.size })
  if (kind === 'application/x-mpegurl') {
    return omitUndefined({ video: readPlaylist(Buffer.from(bytes).toString(), !isTruncated) })
  }
  return kind?.startsWith('video') ? { video: readMp4(bytes) } : {}
}

async function readPage(
  client: NetClient,
  url: string,
  answer: NetAnswer,
  signal: AbortSignal,
): Promise<Pick<EmbedUrlMetadata, 'html' | 'frame'>> {
  const page = new URL(answer.url)
  const head = readHtmlHead(decodePage(answer.bytes, answer.headers['content-type'] ?? ''), page)
  const oembedUrl = oembedAddress(head, page)
  const oembed = oembedUrl === undefined ? undefined : await fetchOembed(client, oembedUrl, signal)
  const html: HtmlMetadata = { ...htmlMetadata(head), ...omitUndefined({ oembed }) }
  return { html, ...omitUndefined({ frame: frameOf(head, new URL(url), html) }) }
}

/** Fetches oEmbed data. It is optional: the page's own metadata is enough. */
async function fetchOembed(
  client: NetClient,
  url: string,
  signal: AbortSignal,
): Promise<OembedData | undefined> {
  const answer = await client.request({
    url,
    headers: { accept: 'application/json' },
    deadlineMs: OEMBED_DEADLINE_MS,
    maxBytes: MAX_OEMBED_BYTES,
    signal,
  })
  if (isNetFailure(answer) || answer.status !== 200 || answer.isTruncated) return undefined
  return parseOembed(Buffer.from(answer.bytes).toString(), new URL(url))
}

/** Returns the decompressed length, not the transferred one. */
function lengthOf({ headers, bytes, isTruncated }: NetAnswer): number | null {
  const contentLength = headers['content-length'] ?? ''
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity'
  if (isPlain && /^\d{1,15}$/.test(contentLength)) return Number(contentLength)
  return isTruncated ? null : bytes.length
}

/** Parses Retry-After in seconds. Dates (RFC 9110 §10.2.3) are ignored; our schedule applies. */
function retryAfterMs({ headers }: NetAnswer): number {
  const seconds = headers['retry-after'] ?? ''
  return /^\d{1,9}$/.test(seconds) ? Math.min(Number(seconds) * 1_000, MAX_RETRY_AFTER_MS) : 0
}
