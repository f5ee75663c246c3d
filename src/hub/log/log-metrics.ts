import { Counter, Gauge, type Registry } from 'prom-client'
import type { Metrics } from '../../platform/metrics.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import type { ConsumerLag } from './consumer.js'

/** Adds the lag of event log consumers; `clock` is in Unix milliseconds. It is absent while the database is down. */
export function observeConsumers(
  registry: Registry,
  read: () => Promise<readonly ConsumerLag[]>,
  clock: () => number,
): void {
  const gauge = (name: string, help: string, measure: (lag: ConsumerLag) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['consumer', 'shard'],
      registers: [registry],
      async collect() {
        this.reset()
        for (const lag of await read().catch(() => [])) {
          const value = measure(lag)
          if (value !== null) this.set({ consumer: lag.name, shard: lag.shard }, value)
        }
      },
    })
  gauge(
    'plaza_consumer_lag_blocks',
    'Blocks of the event log that a consumer has not processed, by shard',
    ({ blocks }) => blocks,
  )
  gauge(
    'plaza_consumer_lag_seconds',
    'Age of the oldest block that a consumer has not processed, by shard; 0 at the end of the log',
    ({ blocks, oldestBlockTime }) => {
      if (oldestBlockTime === null) return blocks === 0 ? 0 : null
      return Math.max(0, farcasterSecondsFromUnixMs(clock()) - oldestBlockTime)
    },
  )
}

/** Adds and returns the count of gaps: events that were dropped before a consumer had processed them. */
export function countConsumerGaps({ registry }: Metrics): (consumer: string) => void {
  const gaps = new Counter({
    name: 'plaza_consumer_gaps_total',
    help: 'Times that events were dropped before a consumer had processed them',
    labelNames: ['consumer'],
    registers: [registry],
  })
  return (consumer) => gaps.inc({ consumer })
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
