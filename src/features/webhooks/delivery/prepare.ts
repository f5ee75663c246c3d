import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import type { Vault } from '../../../platform/vault/vault.js'
import { unpackSubject } from '../events/stored-subject.js'
import { openSecrets } from '../secrets.js'
import { type EventViews, makeEventData } from './event-data.js'
import type { ReadyDelivery } from './lane.js'
import { type Claimed, storeData } from './queue.js'

/** What deliveries are made ready with. */
export interface PrepareContext {
  readonly db: Database
  readonly vault: Vault
  readonly views: EventViews
  readonly log: Log
}

/** Makes the bodies of deliveries and opens the secrets to sign them with, in a few statements for all. */
export async function prepare(context: PrepareContext, taken: readonly Claimed[]): Promise<ReadyDelivery[]> {
  const [made, secrets] = await Promise.all([
    makeMissingData(context, taken),
    openSecrets(context.db, context.vault, [...new Set(taken.map(({ webhookId }) => webhookId))]),
  ])
  return taken.map((delivery) => ({
    ...delivery,
    data: delivery.data ?? made.get(delivery.eventId) ?? 'null',
    secrets: secrets.get(delivery.webhookId) ?? [],
  }))
}

async function makeMissingData(
  { db, views, log }: PrepareContext,
  taken: readonly Claimed[],
): Promise<ReadonlyMap<string, string>> {
  const missing = new Map(
    taken.filter(({ data }) => data === null).map((delivery) => [delivery.eventId, delivery]),
  )
  if (missing.size === 0) return new Map()
  const events = [...missing.values()].map(({ eventId, subject, ...event }) => ({
    ...event,
    id: eventId,
    subject: unpackSubject(subject),
  }))
  const made = await makeEventData(views, events)
  // Nothing waits for it: without it the next attempt makes it anew.
  storeData(db, made).catch((error: unknown) => log.warn({ err: error }, 'the data of events was not kept'))
  return made
}
