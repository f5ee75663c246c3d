import { startConsumer } from '../../hub/log/consumer.js'
import type { Consumer } from '../../hub/log/consumer-batch.js'
import type { EventTail } from '../../hub/log/tail.js'
import { connect } from '../../platform/db/connection.js'
import type { Log } from '../../platform/log/log.js'

/** What readers of the log stand on. */
export interface ConsumerServices {
  readonly url: string
  readonly shards: number
  readonly consumers: readonly Consumer[]
  readonly tail: EventTail
  readonly log: Log
}

const POOL_END_SECONDS = 5

/**
 * Starts the consumers of the log, on connections of their own: neither merges nor requests wait for what they do.
 * There are fewer connections than workers, which wait for each other when all have something to do.
 *
 * @returns ends them, and the connections.
 */
export function openConsumers({ url, shards, consumers, tail, log }: ConsumerServices): () => Promise<void> {
  const db = connect(url, { poolSize: shards + 1, applicationName: 'plaza consumers' })
  const stops = consumers.map((consumer) => startConsumer(consumer, { db, shards, tail, log }))
  return async () => {
    await Promise.all(stops.map((stop) => stop()))
    await db.end({ timeout: POOL_END_SECONDS })
  }
}
