import type { NetRequest } from '../../../platform/outbound/net-client.js'
import type { SigningSecret } from '../secrets.js'
import { hexSignature, standardSignature } from '../signatures.js'
import type { PreparedDelivery } from './queue.js'

/** The part of a delivery that its request depends on. */
type DeliveryRequest = Pick<
  PreparedDelivery,
  'id' | 'eventId' | 'kind' | 'detectedAt' | 'targetUrl' | 'httpTimeoutMs' | 'attempts' | 'data'
>

/** Longer answers are cut off: this is enough to use the connection again after the usual few words. */
const MAX_RESPONSE_BYTES = 16_384

/** Builds the body, which is the same for every attempt. */
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
 * Builds the request of an attempt, signed with every secret that is valid now.
 *
 * Receivers that were written for the hosted service read `x-neynar-signature`. It holds one signature, by the oldest
 * secret: such a receiver knows the old secret until its grace time ends.
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
