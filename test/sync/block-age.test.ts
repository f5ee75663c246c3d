import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import type { UpstreamClient } from '../../src/hub/sync/client/upstream-client.js'
import { createUpstreamMetrics } from '../../src/hub/sync/upstream-metrics.js'
import { farcasterSecondsFromUnixMs, unixMsFromFarcasterSeconds } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser, testNow } from '../network.js'
import { followShard, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'

const { db, connect } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)
const user = new TestUser(1)
await hub.submitOnChainEvents(user.onChain())
const log = logOf([{ messages: [user.cast('old', testNow - 100)] }])
const upstream = upstreamOf(log, [log, []])
const clock = () => unixMsFromFarcasterSeconds(testNow + 3600)

async function samplesOf(registry: Registry, metric: string): Promise<string[]> {
  const lines = (await registry.metrics()).split('\n')
  return lines.filter((line) => line.startsWith(metric))
}

const ageOf = (registry: Registry) => samplesOf(registry, 'plaza_sync_block_age_seconds{')

/** What the database answers late, after a second, is left out of a reply, or stays what it was. */
const untilAge = (registry: Registry) => expect.poll(() => ageOf(registry))

it('the age of blocks: 0 while a quiet upstream has nothing newer; after a restart, that of the stored block', async () => {
  const options = { db, addresses: [upstream.address], clock }
  expect(farcasterSecondsFromUnixMs(clock())).toBe(testNow + 3600)
  await startAtFirstEvent(db, upstream)
  const followed = new Registry()
  await followShard({ db, hub }, upstream, { metrics: createUpstreamMetrics(followed, options), clock })
  await untilAge(followed).toEqual(['plaza_sync_block_age_seconds{shard="1"} 0'])
  const restarted = new Registry()
  createUpstreamMetrics(restarted, options)
  await untilAge(restarted).toEqual(['plaza_sync_block_age_seconds{shard="1"} 3600'])
})

it('the age of blocks grows while the database is slow or away, and follows what it answers later', async () => {
  const reader = connect()
  let seconds = testNow + 3600
  const addresses = ['quiet.example:3383']
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time)
    values (${addresses[0]!}, 2, 1, ${testNow})`
  const registry = new Registry()
  createUpstreamMetrics(registry, { db: reader, addresses, clock: () => unixMsFromFarcasterSeconds(seconds) })
  await untilAge(registry).toEqual(['plaza_sync_block_age_seconds{shard="2"} 3600'])
  await db.begin(async (sql) => {
    await sql`lock table sync.cursors`
    seconds += 60
    expect(await ageOf(registry)).toEqual(['plaza_sync_block_age_seconds{shard="2"} 3660'])
    await sql`update sync.cursors set block_time = ${testNow + 3600} where upstream = ${addresses[0]!}`
  })
  await untilAge(registry).toEqual(['plaza_sync_block_age_seconds{shard="2"} 60'])
  await reader.end({ timeout: 0 })
  seconds += 60
  expect(await ageOf(registry)).toEqual(['plaza_sync_block_age_seconds{shard="2"} 120'])
})

it('the age of the upstream: grows from the start on while it is not reached, and is 0 when it was heard', async () => {
  let nowMs = clock()
  const registry = new Registry()
  const read = () => samplesOf(registry, 'plaza_sync_upstream_age_seconds ')
  const metrics = createUpstreamMetrics(registry, { db, addresses: [upstream.address], clock: () => nowMs })
  nowMs += 90_000
  expect(await read()).toEqual(['plaza_sync_upstream_age_seconds 90'])
  const refusing: UpstreamClient = {
    ...upstream,
    subscribe() {
      throw new Error('refused')
    },
  }
  await expect(followShard({ db, hub }, refusing, { metrics, clock })).rejects.toThrow('refused')
  expect(await read()).toEqual(['plaza_sync_upstream_age_seconds 90'])
  await followShard({ db, hub }, upstream, { metrics, clock })
  expect(await read()).toEqual(['plaza_sync_upstream_age_seconds 0'])
})
