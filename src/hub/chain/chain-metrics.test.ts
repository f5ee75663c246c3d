import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createChainMetrics } from './chain-metrics.js'

const { db } = await createTestDatabase()

it('the age of the last read grows while the chain is not read, from the start on, and of endless followers alone', async () => {
  const registry = new Registry()
  let now = 1_000_000
  const { onFollow, onProgress } = createChainMetrics(registry, db, () => now)
  const read = async () =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('plaza_chain_read_age_seconds{'))
  onFollow('registry')
  now += 90_000
  onProgress({ follower: 'a backfill', outcome: 'moved', logs: 0 })
  onProgress({ follower: 'registry', outcome: 'busy', logs: 0 })
  expect(await read()).toEqual(['plaza_chain_read_age_seconds{follower="registry"} 90'])
  onProgress({ follower: 'registry', outcome: 'caughtUp', logs: 0 })
  expect(await read()).toEqual(['plaza_chain_read_age_seconds{follower="registry"} 0'])
})
