import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import type { Vault } from '../../../platform/vault/vault.js'
import { decodeSubject } from '../events/stored-subject.js'
import { decryptSigningSecrets } from '../secrets.js'
import { type EventRenderContext, renderEventData } from './event-data.js'
import { type ClaimedDelivery, type PreparedDelivery, storeData } from './queue.js'

/** What deliveries are prepared with. */
export interface PrepareContext {
  readonly db: Database
  readonly vault: Vault
  readonly renderContext: EventRenderContext
  readonly log: Log
}

/** Renders the data of deliveries and decrypts the secrets that sign them, in a few statements for all. */
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
  const events = [...missing.values()].map(({ eventId, kind, happenedAt, detectedAt, subject }) => ({
    id: eventId,
    kind,
    happenedAt: happenedAt.getTime() / 1000,
    detectedAt,
    subject: decodeSubject(subject),
  }))
  const rendered = await renderEventData(renderContext, events)
  // Nothing waits for this statement: without the stored data the next attempt renders it again.
  storeData(db, rendered).catch((error: unknown) =>
    log.warn({ err: error }, 'the data of events was not stored'),
  )
  return rendered
}
