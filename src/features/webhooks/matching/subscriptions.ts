import type { WebhookSubscriptionFilters } from '../../../graph/view/schema/webhook-filters.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { Matcher } from './matcher.js'

interface ChangeRow {
  readonly id: string
  readonly revision: number
  readonly filters: WebhookSubscriptionFilters | null
  readonly isActive: boolean
}

/**
 * All subscriptions of active webhooks, synchronized with the database.
 *
 * Call `refresh` before matching: one statement that finds nothing unless something changed. So no process
 * matches by stale subscriptions.
 */
export class Subscriptions {
  readonly matcher = new Matcher()
  #revision = 0

  /** Loads what has changed. Changes are numbered in commit order (webhooks.revision). */
  async refresh(db: Queryable): Promise<void> {
    const rows = await db<ChangeRow[]>`
      select id, revision, filters, active and deleted_at is null as "isActive"
      from webhooks.webhooks
      where revision > ${this.#revision}::bigint
      order by revision`
    for (const { id, revision, filters, isActive } of rows) {
      if (isActive && filters !== null) this.matcher.set({ webhookId: id, filters })
      else this.matcher.delete(id)
      this.#revision = revision
    }
  }
}
