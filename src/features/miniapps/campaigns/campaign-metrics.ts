import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../../platform/db/connection.js'
import type { TokenOutcome } from './campaigns.js'

/** Upper bound of the batch count, which keeps the query cheap. */
const MAX_COUNTED_BATCHES = 20_000

/**
 * Registers the counter of attempts.
 *
 * @returns A function to call for each attempt.
 */
export function countNotificationAttempts(
  registry: Registry,
): (outcome: TokenOutcome, tokens: number) => void {
  const attempts = new Counter({
    name: 'plaza_notification_attempts_total',
    help: 'Tokens of mini app users that notifications were sent to, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return (outcome, tokens) => attempts.inc({ outcome }, tokens)
}

/** Registers gauges of the campaigns and tokens that wait. They are absent while the database is away. */
export function observeCampaignQueue(registry: Registry, db: Database): void {
  const registers = [registry]
  new Gauge({
    name: 'plaza_notification_tokens_waiting',
    help: `Tokens that wait or are being sent to; of each state ${MAX_COUNTED_BATCHES} batches are counted at most`,
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset()
      for (const { state, tokens } of await countWaiting(db).catch(() => [])) this.set({ state }, tokens)
    },
  })
  new Gauge({
    name: 'plaza_notification_campaigns_queued',
    help: 'Campaigns whose audience is not selected yet',
    registers,
    async collect() {
      const rows = await db`select from miniapps.campaigns where state = 'queued'`.catch(() => null)
      this.remove()
      if (rows !== null) this.set(rows.length)
    },
  })
}

/** Tokens of campaigns by state; of each state a bounded number of batches is counted. */
export async function countWaiting(db: Database): Promise<{ state: string; tokens: number }[]> {
  return db<{ state: string; tokens: number }[]>`
    select state, sum(cardinality(fids))::integer as tokens
    from (
      (select 'waiting' as state, fids from miniapps.batches where state = 'waiting' limit ${MAX_COUNTED_BATCHES})
      union all
      (select 'sending', fids from miniapps.batches where state = 'sending' limit ${MAX_COUNTED_BATCHES})
    ) counted
    group by state`
}
