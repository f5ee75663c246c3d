import { expect, it } from 'vitest'
import { testNow } from '../../../test/network.js'
import { createMetrics } from '../../platform/metrics.js'
import { unixMsFromFarcasterSeconds } from '../../protocol/time.js'
import { observeConsumers } from './log-metrics.js'

it('the lag of a consumer: its blocks and the age of the oldest one, 0 at the end of the log', async () => {
  const { registry } = createMetrics()
  const lags = [
    { name: 'webhooks', shard: 1, blocks: 2, oldestBlockTime: testNow },
    { name: 'webhooks', shard: 2, blocks: 0, oldestBlockTime: null },
    // Its events were dropped: nobody knows how old they were.
    { name: 'webhooks', shard: 3, blocks: 9, oldestBlockTime: null },
  ]
  const clock = () => unixMsFromFarcasterSeconds(testNow + 90)
  observeConsumers(registry, async () => lags, clock)
  const text = await registry.metrics()
  expect(text.split('\n').filter((line) => line.startsWith('plaza_consumer_'))).toEqual([
    'plaza_consumer_lag_blocks{consumer="webhooks",shard="1"} 2',
    'plaza_consumer_lag_blocks{consumer="webhooks",shard="2"} 0',
    'plaza_consumer_lag_blocks{consumer="webhooks",shard="3"} 9',
    'plaza_consumer_lag_seconds{consumer="webhooks",shard="1"} 90',
    'plaza_consumer_lag_seconds{consumer="webhooks",shard="2"} 0',
  ])
})
