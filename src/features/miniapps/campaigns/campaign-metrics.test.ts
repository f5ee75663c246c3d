import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { Database } from '../../../platform/db/connection.js'
import { observeCampaignQueue } from './campaign-metrics.js'

it('the gauges of campaigns and tokens have no value while the database is away', async () => {
  let answer = async (): Promise<unknown[]> => [{ state: 'waiting', tokens: 3 }]
  const registry = new Registry()
  observeCampaignQueue(registry, (() => answer()) as unknown as Database)
  const read = async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('plaza_'))
  expect(await read()).toEqual([
    'plaza_notification_tokens_waiting{state="waiting"} 3',
    'plaza_notification_campaigns_queued 1',
  ])
  answer = async () => {
    throw new Error('the database is away')
  }
  expect(await read()).toEqual([])
})
