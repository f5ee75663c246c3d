import type { WebhookSubscriptionFilters } from '../../../graph/view/schema/webhook-filters.js'
import type { Queryable } from '../../../platform/db/connection.js'
import { Matcher } from './matcher.js'

interface ChangeRow {
  readonly id: string
  readonly revision: number
  readonly filters: WebhookSubscriptionFilters | null
  readonly isOn: boolean
}

/**
 * All subscriptions of webhooks that are on, as they are in the database now. Whoever matches refreshes first, which
 * is one statement that finds nothing unless something has changed: no process ever matches by what was.
 */
export class Subscriptions {
  readonly matcher = new Matcher()
  #revision = 0

  /** Takes over what has changed. Changes are numbered in the order of their commits (webhooks.revision). */
  async refresh(db: Queryable): Promise<void> {
    const rows = await db<ChangeRow[]>`
      select id, revision, filters, active and deleted_at is null as "isOn"
      from webhooks.webhooks
      where revision > ${this.#revision}::bigint
      order by revision`
    for (const { id, revision, filters, isOn } of rows) {
      if (isOn && filters !== null) this.matcher.set({ webhookId: id, filters })
      else this.matcher.delete(id)
      this.#revision = revision
    }
  }
}
