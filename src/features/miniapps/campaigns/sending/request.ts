import type { NetRequest } from '../../../../platform/outbound/net-client.js'
import type { ClaimedRequest } from './claim.js'

/** What is read of an answer: 100 tokens of a kilobyte each, twice named, and more than any client writes. */
const MAX_RESPONSE_BYTES = 262_144

/** The request by which a client is asked to notify users (docs/protocol.md §8.3). */
export function notificationRequest(claimed: ClaimedRequest, timeoutMs: number): NetRequest {
  const { url, notificationId, title, body, targetUrl, tokens } = claimed
  return {
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ notificationId, title, body, targetUrl, tokens: [...new Set(tokens)] }),
    deadlineMs: timeoutMs,
    maxBytes: MAX_RESPONSE_BYTES,
  }
}
