import { afterAll, beforeEach, expect, it } from 'vitest'
import { createTestHub } from '../../test/hub.js'
import { TestUser, testNow } from '../../test/network.js'
import { startReplicatedCluster } from '../../test/replicated-cluster.js'
import { startTestServer } from '../../test/running-server.js'

const { primary, replica } = await startReplicatedCluster()
const [alice, bob] = [new TestUser(1), new TestUser(2)]
/** Writes what the server has not written itself, as another process does. */
const other = await createTestHub(primary.db)
await other.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
const server = await startTestServer(
  primary.url,
  { DATABASE_REPLICA_URL: replica.url, REPLICA_MAX_LAG_MS: '600000', CRAWL_EMBEDS: 'false' },
  afterAll,
)
let seconds = testNow - 5_000

/** Later than each cast before. */
function next(): number {
  seconds += 1
  return seconds
}

async function metrics(): Promise<string> {
  return await (await fetch(`${server.urls.main}/metrics`)).text()
}

/** Counts of reads by replica and outcome. */
async function reads(): Promise<Record<string, number>> {
  const found = (await metrics()).matchAll(
    /^plaza_replica_reads_total\{replica="([^"]*)",outcome="(\w+)"\} (\d+)$/gm,
  )
  return Object.fromEntries(
    [...found].map(([, name, outcome, count]) => [`${name} ${outcome}`, Number(count)]),
  )
}

/** Texts of the casts of a user, from the hub of the server. */
async function textsOf(fid: number): Promise<string[]> {
  const reply = await fetch(`${server.urls.main}/v1/castsByFid?fid=${fid}&reverse=1`)
  const { messages } = (await reply.json()) as { messages: { data: { castAddBody: { text: string } } }[] }
  return messages.map(({ data }) => data.castAddBody.text)
}

beforeEach(async () => {
  await replica.resumeReplay()
  await replica.catchUp()
  await expect.poll(metrics).toContain(`plaza_replica_in_use{replica="${replica.name}"} 1\n`)
})

it('reads of everybody use the replica, and those of a writer include what was merged', async () => {
  await replica.pauseReplay()
  await other.submit([bob.cast('of another process', next())])
  // A replica that did not say its position within a second is not read: the next read may be.
  const read = async (fid: number) => {
    const counts = async () => {
      const { [`${replica.name} used`]: used = 0, 'none behind': behind = 0 } = await reads()
      return { used, behind }
    }
    const before = await counts()
    const texts = await textsOf(fid)
    const after = await counts()
    return { texts, used: after.used - before.used, behind: after.behind - before.behind }
  }
  await expect.poll(() => read(2)).toEqual({ texts: [], used: 1, behind: 0 })
  expect(await server.hub.submit([alice.cast('of this process', next())])).toEqual([null])
  await expect.poll(() => read(1)).toEqual({ texts: ['of this process'], used: 0, behind: 1 })
})

it('operations of the main API read from the replica, until it has what their key wrote', async () => {
  await replica.pauseReplay()
  const bans = async (): Promise<number> => (await server.get('ban/list')).bans.length
  expect(await bans()).toBe(0)
  expect((await server.send('POST', 'ban', { fids: [2] })).status).toBe(200)
  expect(await bans()).toBe(1)
})

it('how long the replica has lacked something is measured, and is absent while it does not answer', async () => {
  const lag = async () => /^plaza_replica_lag_seconds\{replica="(.*)"\} ([\d.]+)$/m.exec(await metrics())
  await expect.poll(async () => (await lag())?.[2]).toBe('0')
  await replica.pauseReplay()
  await other.submit([bob.cast('late', next())])
  await expect.poll(async () => Number((await lag())?.[2])).toBeGreaterThan(0)
  expect((await lag())?.[1]).toBe(replica.name)
  await replica.kill()
  await expect.poll(metrics).toContain(`plaza_replica_in_use{replica="${replica.name}"} 0\n`)
  expect(await lag()).toBeNull()
  expect(await textsOf(2)).toEqual(['late', 'of another process'])
  expect(await reads()).toHaveProperty('none unavailable')
  await replica.start()
})

it('a stopped server follows no replica', async () => {
  const sessions = async () => {
    const query = `select count(*)::integer as count from pg_stat_activity where application_name like 'plaza%'
      and application_name <> 'plaza test'`
    return await Promise.all([primary.db, replica.db].map(async (db) => (await db.unsafe(query))[0]?.count))
  }
  await expect.poll(async () => Math.min(...(await sessions()))).toBeGreaterThan(0)
  await server.stop()
  await expect.poll(sessions).toEqual([0, 0])
})
