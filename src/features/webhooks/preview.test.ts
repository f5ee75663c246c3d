import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { shardOf } from '../../protocol/shard.js'

const DAY_SECONDS = 86_400
const SHARDS = 2

const { db } = await createTestDatabase()
let hubNow = testNow
const hub = await createTestHub(db, {
  shards: SHARDS,
  clock: () => (testNowUnix + hubNow - testNow) * 1000,
})
const api = await createTestApi({ db, hub, clock: () => testNowUnix * 1000 })

const users = [1, 2, 3, 4, 5, 6].map((fid) => new TestUser(fid))
const [busy, quiet] = [1, 2].map((shard) => users.find(({ fid }) => shardOf(fid, SHARDS) === shard)!)
const preview = async () => {
  const body = { subscription: { 'cast.created': { text: '^gm' } }, samples: 3 }
  return (await api.send('POST', 'webhook/preview', body)).json()
}

/** Merges a message in a block of its own, at a time in Farcaster seconds. */
async function mergeAt(at: number, user: TestUser, text: string): Promise<void> {
  hubNow = at
  expect(await hub.submit([user.cast(text, at)], { trusted: true })).toEqual([null])
}

it('of a server with few events: those of blocks before the last three days are not counted', async () => {
  hubNow = testNow - 9 * DAY_SECONDS
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  for (const age of [8, 5, 3.1]) await mergeAt(testNow - age * DAY_SECONDS, quiet!, `gm ${age}`)
  await mergeAt(testNow - 2.9 * DAY_SECONDS, quiet!, 'gm 2.9')
  expect(await preview()).toMatchObject({
    matched: 1,
    complete: true,
    samples: [{ data: { text: 'gm 2.9' } }],
  })
})

it('of several shards, whose ids drift apart: counts all, and samples the newest of all', async () => {
  for (let n = 0; n < 200; n += 1) await mergeAt(testNow - 1_000 + n, busy!, `gm ${n}`)
  await mergeAt(testNow - 10, quiet!, 'gm last')
  const found = await preview()
  expect(found).toMatchObject({ matched: 202, complete: true })
  const texts = found.samples.map(({ data }: { data: { text: string } }) => data.text)
  expect(texts).toEqual(['gm last', 'gm 199', 'gm 198'])
})
