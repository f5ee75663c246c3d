/** Options of `verifyWebhook`. */
export interface VerifyOptions {
  /** Most seconds between the signed timestamp and now; older deliveries count as replayed. The default is 300. */
  readonly toleranceSeconds?: number
  /** Unix milliseconds. The default is `Date.now`. */
  readonly now?: () => number
}

/** Headers as Node, `fetch` and most frameworks represent them. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null }

/**
 * Whether Plaza signed a delivery recently with one of these secrets.
 *
 * Pass the raw body before any parsing, and all secrets of the webhook. Both signatures must be valid; without a secret none is.
 *
 *     if (!verifyWebhook(rawBody, request.headers, [process.env.WEBHOOK_SECRET])) return reply.status(401)
 *
 * Comparisons take constant time.
 */
export declare function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly (string | undefined)[],
  options?: VerifyOptions,
): boolean
