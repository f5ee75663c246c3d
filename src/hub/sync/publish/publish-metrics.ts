import { Counter, Gauge, type Registry } from 'prom-client'
import type { Database } from '../../../platform/db/connection.js'
import { MAX_COUNTED, measureOutgoing } from './outgoing-queue.js'

/** How the sending of a message ended. A refused one may be sent later. */
export type PublishOutcome = 'sent' | 'duplicate' | 'conflict' | 'refused'

/** Counts messages by outcome. */
export type CountPublished = (outcome: PublishOutcome, messages: number) => void

/** Registers the counter of the process that sends. */
export function createPublishMetrics(registry: Registry): CountPublished {
  const messages = new Counter({
    name: 'plaza_publish_messages_total',
    help: 'Messages published here and sent to the upstream: sent, duplicate (it had it), conflict (it had a newer one), or refused',
    labelNames: ['outcome'],
    registers: [registry],
  })
  for (const outcome of ['sent', 'duplicate', 'conflict', 'refused']) messages.inc({ outcome }, 0)
  return (outcome, count) => messages.inc({ outcome }, count)
}

/** Registers the gauges of what waits, in every process: they show when none sends. */
export function observeOutgoing(registry: Registry, db: Database): void {
  let measuring: ReturnType<typeof measureOutgoing> | null = null
  /** Measures once for both metrics, which are read at the same time. Without the database there is no value, as of other queues. */
  async function measure() {
    measuring ??= measureOutgoing(db).finally(() => {
      measuring = null
    })
    return await measuring.catch(() => null)
  }
  new Gauge({
    name: 'plaza_publish_queue_messages',
    help: `Messages published here that wait for the upstream (pending), or that it has refused; of each state ${MAX_COUNTED} are counted at most`,
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const measures = await measure()
      this.reset()
      if (measures === null) return
      this.set({ state: 'pending' }, measures.pending)
      this.set({ state: 'refused' }, measures.refused)
    },
  })
  new Gauge({
    name: 'plaza_publish_oldest_pending_seconds',
    help: 'Age of the oldest message that waits for the upstream',
    registers: [registry],
    async collect() {
      const measures = await measure()
      this.remove()
      if (measures !== null) this.set(measures.oldestSeconds)
    },
  })
}
