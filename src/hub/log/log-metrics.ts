import { Counter, Gauge } from 'prom-client'
import type { Metrics } from '../../platform/metrics.js'

/** Adds the lag of event log consumers. It is absent while the database is down. */
export function observeConsumers(
  metrics: Metrics,
  read: () => Promise<readonly { readonly name: string; readonly shard: number; readonly blocks: number }[]>,
): void {
  new Gauge({
    name: 'plaza_consumer_lag_blocks',
    help: 'Blocks of the event log that a consumer has not processed, by shard',
    labelNames: ['consumer', 'shard'],
    registers: [metrics.registry],
    async collect() {
      this.reset()
      for (const { name, shard, blocks } of await read().catch(() => [])) {
        this.set({ consumer: name, shard }, blocks)
      }
    },
  })
}

/** Adds and returns the count of readers whose position was lost when the log went back. */
export function countLogResets({ registry }: Metrics): (reader: string) => void {
  const resets = new Counter({
    name: 'plaza_log_resets_total',
    help: 'Readers of the event log whose position was lost when the log went back',
    labelNames: ['reader'],
    registers: [registry],
  })
  return (reader) => resets.inc({ reader })
}

/** Adds the number of accepted messages that are not in the event log. */
export function observeEventLag(metrics: Metrics, lag: () => number): void {
  new Gauge({
    name: 'plaza_event_lag_messages',
    help: 'Accepted messages that are not in the event log yet',
    registers: [metrics.registry],
    collect() {
      this.set(lag())
    },
  })
}
