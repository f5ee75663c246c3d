import type { Fragment } from '#postgres'
import type { Queryable } from '../../platform/db/connection.js'

/** The NOTIFY channel of the delivery queue. A lane is a webhook, and its key the webhook's id. */
export const deliveryChannel = 'webhook_lanes'

/**
 * The condition of waiting deliveries `d`, in the form of the two indexes of the queue. An index of both would be cheaper to read, but
 * claims would use it: it cost a third of the deliveries per second (migration 0142).
 */
export function isWaiting(db: Queryable): Fragment {
  return db`(d.state = 'waiting' and d.attempts = 0 or d.state = 'waiting' and d.attempts > 0)`
}
