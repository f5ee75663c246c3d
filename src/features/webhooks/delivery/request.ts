import type { WebhookEventKind } from '../../../graph/view/schema/webhook-filters.js'
import type { NetRequest } from '../../../platform/outbound/net-client.js'
import type { SigningSecret } from '../secrets.js'
import { hexSignature, standardSignature } from '../signatures.js'

/** A delivery, as far as its request is made of it. */
export interface DeliveryRequest {
  readonly id: string
  readonly eventId: string
  readonly kind: WebhookEventKind
  readonly detectedAt: Date
  readonly targetUrl: string
  readonly httpTimeoutMs: number
  /** Attempts before this one. */
  readonly attempts: number
  /** JSON. */
  readonly data: string
}

/** What is read of an answer: enough for a connection to be used again after the usual few words. */
const MAX_RESPONSE_BYTES = 16_384

/** The body: the same for every attempt. */
export function deliveryBody({
  id,
  eventId,
  kind,
  detectedAt,
  data,
}: Pick<DeliveryRequest, 'id' | 'eventId' | 'kind' | 'detectedAt' | 'data'>): string {
  const envelope = {
    created_at: Math.floor(detectedAt.getTime() / 1000),
    event_timestamp: detectedAt.toISOString(),
    type: kind,
    event_id: eventId,
    delivery_id: id,
  }
  return `${JSON.stringify(envelope).slice(0, -1)},"data":${data}}`
}

/**
 * The request of an attempt, signed with every secret that is valid now.
 *
 * `x-neynar-signature` is what receivers that were written for the hosted service read. It holds one signature, by the
 * oldest of the secrets: such a receiver knows the old one until its grace time ends.
 *
 * @param secrets The newest first.
 */
export function deliveryRequest(
  delivery: DeliveryRequest,
  secrets: readonly SigningSecret[],
  nowMs: number,
): NetRequest {
  const body = deliveryBody(delivery)
  const timestamp = Math.floor(nowMs / 1000)
  const message = { id: delivery.id, timestamp, body }
  const hex = secrets.map(({ value }) => hexSignature(value, body))
  return {
    url: delivery.targetUrl,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': delivery.id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': secrets.map(({ value }) => standardSignature(value, message)).join(' '),
      'x-plaza-signature': hex.join(','),
      'x-neynar-signature': hex.at(-1) ?? '',
      'x-plaza-event': delivery.kind,
      'x-plaza-event-id': delivery.eventId,
      'x-plaza-delivery-id': delivery.id,
      'x-plaza-attempt': String(delivery.attempts + 1),
    },
    body,
    deadlineMs: delivery.httpTimeoutMs,
    maxBytes: MAX_RESPONSE_BYTES,
  }
}
