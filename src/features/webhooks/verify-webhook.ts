import { timingSafeEqual } from 'node:crypto'
import { hexSignature, standardSignature } from './signatures.js'

/** Options of `verifyWebhook`. */
export interface VerifyOptions {
  /** Most seconds between the signed timestamp and now; older deliveries count as replayed. */
  readonly toleranceSeconds?: number
  /** Unix milliseconds. */
  readonly now?: () => number
}

/** Headers as Node, `fetch` and most frameworks represent them. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null }

const TOLERANCE_SECONDS = 300

/**
 * Whether Plaza signed a delivery recently with one of these secrets.
 *
 * Pass the raw body before any parsing, and all secrets of the webhook. Both signatures must be valid.
 *
 *     if (!verifyWebhook(rawBody, request.headers, [process.env.WEBHOOK_SECRET])) return reply.status(401)
 *
 * Comparisons take constant time.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): boolean {
  const { toleranceSeconds = TOLERANCE_SECONDS, now = Date.now } = options
  const id = headerOf(headers, 'webhook-id')
  const sentAt = headerOf(headers, 'webhook-timestamp')
  const standard = headerOf(headers, 'webhook-signature')
  const hex = headerOf(headers, 'x-plaza-signature')
  if (id === '' || !/^\d{1,12}$/.test(sentAt) || standard === '' || hex === '') return false
  const timestamp = Number(sentAt)
  if (Math.abs(now() / 1000 - timestamp) > toleranceSeconds) return false
  const nonEmptySecrets = (typeof secrets === 'string' ? [secrets] : secrets).filter(
    (secret) => secret !== '',
  )
  const message = { id, timestamp, body: rawBody }
  const isStandard = anyEqual(
    standard.split(' '),
    nonEmptySecrets.map((secret) => standardSignature(secret, message)),
  )
  const isHex = anyEqual(
    hex.split(',').map((each) => each.trim()),
    nonEmptySecrets.map((secret) => hexSignature(secret, rawBody)),
  )
  return isStandard && isHex
}

function headerOf(headers: WebhookHeaders, name: string): string {
  if (typeof headers.get === 'function')
    return (headers as { get(name: string): string | null }).get(name) ?? ''
  const received = Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1]
  return typeof received === 'string' ? received : ''
}

/** Compares every pair completely. */
function anyEqual(received: readonly string[], expected: readonly string[]): boolean {
  let found = false
  for (const each of received) {
    for (const expectedSignature of expected) found = timingSafeEquals(each, expectedSignature) || found
  }
  return found
}

function timingSafeEquals(a: string, b: string): boolean {
  const [bytesA, bytesB] = [Buffer.from(a), Buffer.from(b)]
  return bytesA.length === bytesB.length && timingSafeEqual(bytesA, bytesB)
}
