import type { NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'

/** A picture, and what it is by its own first bytes. */
export interface Picture {
  readonly type: string
  readonly bytes: Uint8Array
}

const MAX_BYTES = 1024 * 1024
const DEADLINE_MS = 5_000
const MAX_REDIRECTS = 3

/** First bytes, in hex, of the kinds that are passed on. SVG is none of them: it is a document. */
const kinds: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
]
const START_BYTES = 16

/**
 * Fetches the picture of an account, so that a page can show it without telling its reader's address to whoever has
 * the picture. Null for what cannot be had, is too large, or is no picture.
 */
export async function fetchPicture(net: Pick<NetClient, 'request'>, url: string): Promise<Picture | null> {
  const answer = await net.request({
    url,
    deadlineMs: DEADLINE_MS,
    maxBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
  })
  if (isNetFailure(answer) || answer.status !== 200 || answer.isTruncated) return null
  const start = Buffer.from(answer.bytes.subarray(0, START_BYTES)).toString('hex')
  const [type] = kinds.find(([, pattern]) => pattern.test(start)) ?? []
  return type === undefined ? null : { type, bytes: answer.bytes }
}
