import { readConsumerLag } from '../../hub/log/consumer.js'
import { deleteOldHistoricalBlocks } from '../../hub/log/historical-blocks.js'
import { observeConsumers } from '../../hub/log/log-metrics.js'
import { dropExpiredPartitions, earlierNow, ensurePartitions } from '../../hub/log/partitions.js'
import { deleteOldTracedBlocks } from '../../hub/log/traced-blocks.js'
import { HOUR_MS } from '../../platform/durations.js'
import type { Module } from '../module.js'

const MAINTENANCE_MS = HOUR_MS

/** The event log: makes the partitions of the coming days and drops those that have expired. */
export const eventLogModule: Module = {
  name: 'event log',
  runsIn: ['worker'],
  observe: ({ metrics, connections, clock }) =>
    observeConsumers(metrics.registry, () => readConsumerLag(connections.read), clock),
  start: ({ connections: { work }, config, clock }) => ({
    jobs: [
      {
        name: 'event log partitions',
        everyMs: MAINTENANCE_MS,
        run: async () => {
          await ensurePartitions(work, clock())
          await dropExpiredPartitions(work, await earlierNow(work, clock()), config.eventRetentionDays)
        },
      },
      {
        name: 'traces of the event log',
        everyMs: MAINTENANCE_MS,
        run: () => deleteOldTracedBlocks(work),
      },
      {
        name: 'history in the event log',
        everyMs: MAINTENANCE_MS,
        run: () => deleteOldHistoricalBlocks(work),
      },
    ],
  }),
}
