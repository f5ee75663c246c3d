import type { NetRequest } from '../../../platform/outbound/net-client.js'
import type { Vault } from '../../../platform/vault/vault.js'
import { decodeSubject } from '../events/webhook-event.js'
import { decryptSigningSecrets } from '../secrets.js'
import { hexSignature, standardSignature } from '../signatures.js'
import { type ClaimedDelivery, type PreparedDelivery, storeData } from './delivery-store.js'
import { type EventRenderContext, renderEventData } from './event-data.js'

/** Longer answers are cut off: this is enough to use the connection again after the usual few words. */
const MAX_RESPONSE_BYTES = 16_384

/** Builds the body, which is the same for every attempt. */
export function deliveryBody(
  delivery: Pick<PreparedDelivery, 'id' | 'eventId' | 'kind' | 'detectedAt' | 'data'>,
): string {
  const { id, eventId, kind, detectedAt, data } = delivery
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
 * Builds what an attempt sends, signed with every secret that is valid now. Receivers that were written for the
 * hosted service read `x-neynar-signature`. It holds one signature, by the oldest secret: such a receiver knows the old
 * secret until its grace time ends.
 */
export function signedRequest(
  delivery: Omit<
    PreparedDelivery,
    | 'webhookId'
    | 'traceparent'
    | 'httpTimeoutMs'
    | 'sinceFirstAttemptMs'
    | 'happenedAt'
    | 'subject'
    | 'isSignable'
  >,
  nowMs: number,
): Pick<NetRequest, 'url' | 'headers'> & { readonly body: string } {
  const { secrets } = delivery
  const body = deliveryBody(delivery)
  const timestamp = Math.floor(nowMs / 1000)
  const message = { id: delivery.id, timestamp, body }
  const hex = secrets.map(({ value }) => hexSignature(value, body))
  return {
    url: delivery.targetUrl,
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
  }
}

/** Builds the request of an attempt with its limits. */
export function deliveryRequest(delivery: PreparedDelivery, nowMs: number): NetRequest {
  return {
    ...signedRequest(delivery, nowMs),
    method: 'POST',
    deadlineMs: delivery.httpTimeoutMs,
    maxBytes: MAX_RESPONSE_BYTES,
    // Receivers know a delivery by its id. A retry would come after later deliveries.
    isRepeatable: true,
    isRaw: true,
  }
}

type PrepareContext = EventRenderContext & { readonly vault: Vault }

/** Renders the data of deliveries and decrypts the secrets that sign them, in a few statements for all. */
export async function prepareDeliveries(
  context: PrepareContext,
  claimed: readonly ClaimedDelivery[],
): Promise<PreparedDelivery[]> {
  const [rendered, secrets] = await Promise.all([
    renderMissingData(context, claimed),
    decryptSigningSecrets(context.db, context.vault, [...new Set(claimed.map(({ webhookId }) => webhookId))]),
  ])
  return claimed.map((delivery) => {
    const own = secrets.get(delivery.webhookId)
    return {
      ...delivery,
      data: delivery.data ?? rendered.get(delivery.eventId) ?? 'null',
      secrets: own ?? [],
      isSignable: own?.length !== 0,
    }
  })
}

async function renderMissingData(
  { db, hydrator }: PrepareContext,
  claimed: readonly ClaimedDelivery[],
): Promise<ReadonlyMap<string, string>> {
  const missing = new Map(
    claimed.filter(({ data }) => data === null).map((delivery) => [delivery.eventId, delivery]),
  )
  if (missing.size === 0) return new Map()
  const events = [...missing.values()].map(({ eventId, kind, happenedAt, detectedAt, subject }) => ({
    id: eventId,
    kind,
    happenedAt: happenedAt.getTime() / 1000,
    detectedAt,
    subject: decodeSubject(subject),
  }))
  return await storeData(db, await renderEventData({ db, hydrator }, events))
}
