import type { Queryable } from '../../../platform/db/connection.js'
import { inPipeline } from '../../../platform/db/pipeline.js'
import {
  type WebhookEventKind,
  type WebhookSubscriptionFilters,
  webhookEventKinds,
} from '../schema/webhook-filters.js'
import { type EventFacts, FilterIndex } from './filter-index.js'
import { filtersByKind } from './filters.js'

/** A webhook's validated filters. */
export interface WebhookSubscription {
  readonly webhookId: string
  readonly filters: WebhookSubscriptionFilters
}

/** A numbered change of a webhook. */
interface Revision {
  readonly webhookId: string
  readonly revision: number
}

interface Change extends Revision {
  readonly filters: WebhookSubscriptionFilters | null
  readonly isActive: boolean
}

async function readChanges(db: Queryable, after: number): Promise<Change[]> {
  return await db<Change[]>`
    select id as "webhookId", revision, active and deleted_at is null as "isActive",
      -- Those that are off stay for ever, with up to a megabyte each.
      case when active and deleted_at is null then filters end as filters
    from webhooks.webhooks
    where revision > ${after}::bigint
    order by revision`
}

/** Whether the webhook has had this change: it may have changed since, but no webhook is ever deleted. */
async function isStored(db: Queryable, { webhookId, revision }: Revision): Promise<boolean> {
  const [row] = await db`
    select from webhooks.webhooks where id = ${webhookId} and revision >= ${revision}::bigint`
  return row !== undefined
}

/** Finds the webhooks of an event, and follows the changes of webhooks. The meaning of filters is in docs/webhooks.md. */
export class Matcher {
  readonly #kinds = new Map<WebhookEventKind, FilterIndex>(
    webhookEventKinds.map((kind) => [kind, new FilterIndex()]),
  )
  readonly #subscriptions = new Map<string, WebhookSubscriptionFilters>()
  /** The newest change that is loaded; null when all are to be loaded. */
  #newest: Revision | null = null

  /** Number of webhooks with a subscription. */
  get size(): number {
    return this.#subscriptions.size
  }

  /** Adds or replaces a webhook's subscription. */
  set({ webhookId, filters }: WebhookSubscription): void {
    this.delete(webhookId)
    this.#subscriptions.set(webhookId, filters)
    for (const [kind, filter] of filtersByKind(filters)) this.#kinds.get(kind)?.add(webhookId, filter)
  }

  /** Removes a webhook's subscription. */
  delete(webhookId: string): void {
    for (const [kind] of filtersByKind(this.#subscriptions.get(webhookId) ?? {})) {
      this.#kinds.get(kind)?.remove(webhookId)
    }
    this.#subscriptions.delete(webhookId)
  }

  /**
   * Loads the subscriptions of active webhooks that have changed. Changes are numbered in commit order. Costs two
   * statements in one round trip that find nothing unless something changed, so that no process matches by stale
   * subscriptions. Loads all when the newest change that it knows is gone: the database went back, and the webhooks of
   * lost commits with it.
   */
  async refresh(db: Queryable): Promise<void> {
    for (;;) {
      const known = this.#newest
      const [changes, isKnown] = await inPipeline([
        readChanges(db, known?.revision ?? 0),
        known === null || isStored(db, known),
      ])
      // Another refresh has changed what these changes follow.
      if (known !== this.#newest) continue
      if (!isKnown) this.#newest = null
      else return this.#apply(changes)
    }
  }

  /** Makes the next refresh load all, for a failure after which it is not sure that what is known was ever committed. */
  forget(): void {
    this.#newest = null
  }

  #apply(changes: readonly Change[]): void {
    if (this.#newest === null) for (const webhookId of [...this.#subscriptions.keys()]) this.delete(webhookId)
    for (const { webhookId, filters, isActive } of changes) {
      if (isActive && filters !== null) this.set({ webhookId, filters })
      else this.delete(webhookId)
    }
    this.#newest = changes.at(-1) ?? this.#newest
  }

  /** Whether any webhook subscribes to this kind. */
  hasSubscribers(kind: WebhookEventKind): boolean {
    return (this.#kinds.get(kind)?.size ?? 0) > 0
  }

  /** Returns the webhooks that the event is for, each once. */
  match(event: EventFacts): string[] {
    return this.#kinds.get(event.kind)?.match(event) ?? []
  }
}
