import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import type { Vault } from '../../../platform/vault/vault.js'
import { decodeSubject } from '../events/stored-subject.js'
import { decryptSigningSecrets } from '../secrets.js'
import { type EventRenderContext, renderEventData } from './event-data.js'
import type { PreparedDelivery } from './lane.js'
import { type ClaimedDelivery, storeData } from './queue.js'

/** What deliveries are made ready with. */
export interface PrepareContext {
  readonly db: Database
  readonly vault: Vault
  readonly renderContext: EventRenderContext
  readonly log: Log
}

/** Makes the bodies of deliveries and opens the secrets to sign them with, in a few statements for all. */
export async function prepareDeliveries(
  context: PrepareContext,
  claimed: readonly ClaimedDelivery[],
): Promise<PreparedDelivery[]> {
  const [rendered, secrets] = await Promise.all([
    renderMissingData(context, claimed),
    decryptSigningSecrets(context.db, context.vault, [...new Set(claimed.map(({ webhookId }) => webhookId))]),
  ])
  return claimed.map((delivery) => ({
    ...delivery,
    data: delivery.data ?? rendered.get(delivery.eventId) ?? 'null',
    secrets: secrets.get(delivery.webhookId) ?? [],
  }))
}

async function renderMissingData(
  { db, renderContext, log }: PrepareContext,
  claimed: readonly ClaimedDelivery[],
): Promise<ReadonlyMap<string, string>> {
  const missing = new Map(
    claimed.filter(({ data }) => data === null).map((delivery) => [delivery.eventId, delivery]),
  )
  if (missing.size === 0) return new Map()
  const events = [...missing.values()].map(({ eventId, subject, ...event }) => ({
    ...event,
    id: eventId,
    subject: decodeSubject(subject),
  }))
  const rendered = await renderEventData(renderContext, events)
  // Nothing waits for it: without it the next attempt makes it anew.
  storeData(db, rendered).catch((error: unknown) =>
    log.warn({ err: error }, 'the data of events was not kept'),
  )
  return rendered
}
