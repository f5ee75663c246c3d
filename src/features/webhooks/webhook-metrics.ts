import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Fragment } from '#postgres'
import type { Database } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'
import type { PreparedDelivery } from './delivery/delivery-store.js'
import type { DeliveryOutcome } from './delivery/outcome.js'

/** Buckets from a tenth of the promised 250 ms to the length of a retry. */
const LAG_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600]
/** Upper bound of the delivery count, which keeps the query cheap. */
const MAX_COUNTED = 100_000

/**
 * Registers the metrics of attempts.
 *
 * @returns A function to call for each attempt.
 */
export function observeDeliveryAttempts(
  registry: Registry,
): (outcome: DeliveryOutcome, delivery: PreparedDelivery) => void {
  const registers = [registry]
  const lag = new Histogram({
    name: 'plaza_webhook_lag_seconds',
    help: 'Seconds from the detection of an event to its first delivery attempt',
    buckets: LAG_SECONDS,
    registers,
  })
  const attempts = new Counter({
    name: 'plaza_webhook_attempts_total',
    help: 'Delivery attempts by outcome: delivered, waiting (for a retry) or failed',
    labelNames: ['outcome'],
    registers,
  })
  const latency = new Histogram({
    name: 'plaza_webhook_attempt_duration_seconds',
    help: 'Seconds until targets respond or time out',
    buckets: LAG_SECONDS,
    registers,
  })
  return (outcome, { attempts: previousAttempts, detectedAt }) => {
    attempts.inc({ outcome: outcome.state })
    latency.observe(outcome.latencyMs / 1000)
    if (previousAttempts === 0) lag.observe(Math.max(0, outcome.attemptedAtMs - detectedAt.getTime()) / 1000)
  }
}

/**
 * Registers the counter of deliveries that have waited for their turn too long.
 *
 * @returns A function to call with the number of those that have failed.
 */
export function countOverdueDeliveries(registry: Registry, log: Log): (count: number) => void {
  const overdue = new Counter({
    name: 'plaza_webhook_overdue_total',
    help: 'Deliveries that have failed because they waited for their turn longer than WEBHOOK_MAX_WAIT_DAYS',
    registers: [registry],
  })
  return (count) => {
    if (count === 0) return
    overdue.inc(count)
    log.warn(
      { deliveries: count },
      'deliveries of webhooks have failed, as they were not sent within WEBHOOK_MAX_WAIT_DAYS',
    )
  }
}

/** Registers the gauges of deliveries that wait. */
export function observeDeliveryQueue(registry: Registry, db: Database): void {
  new Gauge({
    name: 'plaza_webhook_queue_deliveries',
    help: `Deliveries that wait or are being sent; of each state ${MAX_COUNTED} are counted at most`,
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      for (const [state, count] of await queueDepth(db).catch(() => [])) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'plaza_webhooks_unsigned',
    help: 'Active webhooks whose deliveries wait because PLAZA_SECRET_KEY does not decrypt their secrets',
    registers: [registry],
    async collect() {
      const count = await countUnsignedWebhooks(db).catch(() => null)
      this.remove()
      if (count !== null) this.set(count)
    },
  })
}

/** Counts active webhooks whose deliveries wait because no secret of theirs can be decrypted. */
export async function countUnsignedWebhooks(db: Database): Promise<number> {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count
    from webhooks.lanes l
    join webhooks.webhooks w on w.id = l.webhook_id
    where l.unsigned_since is not null and w.active`
  return row!.count
}

/** Returns the problem of webhooks without a readable secret, for operators; nothing without such webhooks. */
export function unsignedProblems(count: number): string[] {
  if (count === 0) return []
  return [
    `deliveries of ${count} ${count === 1 ? 'webhook' : 'webhooks'} wait, as PLAZA_SECRET_KEY lacks the key of their secrets: ` +
      'add it to the end of PLAZA_SECRET_KEY, or rotate these secrets',
  ]
}

/** Deliveries by state: waiting for their first attempt, for another one, or being sent. Of each state `MAX_COUNTED` are counted at most. */
export async function queueDepth(db: Database): Promise<[state: string, count: number][]> {
  const countOf = (condition: Fragment) =>
    db`(select count(*) from (select from webhooks.deliveries where ${condition} limit ${MAX_COUNTED}) counted)`
  const [row] = await db<Record<string, number>[]>`
    select
      ${countOf(db`state = 'waiting' and attempts = 0`)} as waiting,
      ${countOf(db`state = 'waiting' and attempts > 0`)} as retrying,
      ${countOf(db`state = 'sending'`)} as sending`
  return Object.entries(row!)
}
