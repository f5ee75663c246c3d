import type { FastifyReply } from 'fastify'
import { HOUR_SECONDS } from '../../../platform/durations.js'
import { PlazaError } from '../../../platform/errors.js'
import type { NetClient } from '../../../platform/outbound/net-client.js'
import { isNetFailure } from '../../../platform/outbound/net-failure.js'

const MAX_BYTES = 1024 * 1024
const DEADLINE_MS = 5_000
const MAX_REDIRECTS = 3

/** Accepted media types by their magic numbers in hex. SVG is excluded because it can run scripts. */
const kinds: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
]
const START_BYTES = 16

/** Pictures come from other hosts, so nothing in them may run. */
const picturePolicy = "default-src 'none'; sandbox"
const PICTURE_SECONDS = HOUR_SECONDS

/** Sends the picture of the app that a page is about. Throws `not_found` when there is none. */
export async function sendPicture(
  net: Pick<NetClient, 'request'>,
  url: string | null,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const picture = url === null ? null : await fetchPicture(net, url)
  if (picture === null) throw new PlazaError('not_found', 'the app has no picture, or it cannot be fetched')
  return reply
    .headers({
      'content-security-policy': picturePolicy,
      'cache-control': `private, max-age=${PICTURE_SECONDS}`,
    })
    .type(picture.type)
    .send(Buffer.from(picture.bytes))
}

/**
 * Fetches an account's picture, so that the page does not expose its reader's address to the picture's host.
 *
 * Returns null for a picture that is unreachable, too large or of another type.
 */
export async function fetchPicture(
  net: Pick<NetClient, 'request'>,
  url: string,
): Promise<{ readonly type: string; readonly bytes: Uint8Array } | null> {
  const bounds = { deadlineMs: DEADLINE_MS, maxBytes: MAX_BYTES, maxRedirects: MAX_REDIRECTS }
  const answer = await net.request({ url, ...bounds })
  if (isNetFailure(answer) || answer.status !== 200 || answer.isTruncated) return null
  const start = Buffer.from(answer.bytes.subarray(0, START_BYTES)).toString('hex')
  const [type] = kinds.find(([, pattern]) => pattern.test(start)) ?? []
  return type === undefined ? null : { type, bytes: answer.bytes }
}
