import { beforeEach, expect, test, vi } from 'vitest'
import type { Hub } from '../src/hub/hub.js'
import { createTestHub } from './hub.js'
import { TestUser, testNow } from './network.js'
import { startReplicatedCluster } from './replicated-cluster.js'
import { startTestServer, type TestServer } from './running-server.js'

vi.setConfig({ testTimeout: 120_000 })

const { primary, replica } = await startReplicatedCluster()
const users = [1, 2, 3].map((fid) => new TestUser(fid)) as [TestUser, TestUser, TestUser]
const [alice, bob] = users
let seconds = testNow - 5_000

/** Writes what the server has not written itself, as another process does. */
const other = await createTestHub(primary.db)
await other.submitOnChainEvents(users.flatMap((user) => user.onChain()))

beforeEach(() => replica.resumeReplay())

const start = (env: Readonly<Record<string, string>> = {}) =>
  startTestServer(primary.url, { DATABASE_REPLICA_URL: replica.url, CRAWL_EMBEDS: 'false', ...env })

async function metricsOf(server: TestServer): Promise<string> {
  return await (await fetch(`${server.urls.main}/metrics`)).text()
}

async function readsOf(server: TestServer, outcome: string): Promise<number> {
  const [, count = '0'] =
    new RegExp(`plaza_replica_reads_total\\{replica="[^"]*",outcome="${outcome}"\\} (\\d+)`).exec(
      await metricsOf(server),
    ) ?? []
  return Number(count)
}

const isInUse = async (server: TestServer) =>
  (await metricsOf(server)).includes(`plaza_replica_in_use{replica="${replica.name}"} 1`)
const untilInUse = (server: TestServer, isExpected = true) =>
  expect.poll(() => isInUse(server), { interval: 20 }).toBe(isExpected)

/** Texts of the casts of a user, from the hub of a server. */
async function textsOf(server: TestServer, fid: number): Promise<string[]> {
  const reply = await fetch(`${server.urls.main}/v1/castsByFid?fid=${fid}&reverse=1`)
  expect(reply.status).toBe(200)
  const { messages } = (await reply.json()) as { messages: { data: { castAddBody: { text: string } } }[] }
  return messages.map(({ data }) => data.castAddBody.text)
}

const followedBy = async (server: TestServer, fid: number): Promise<number[]> =>
  (await server.get(`following?fid=${fid}`)).users.map(({ user }: { user: { fid: number } }) => user.fid)

async function cast(hub: Pick<Hub, 'submit'>, user: TestUser, text: string): Promise<void> {
  seconds += 1
  expect(await hub.submit([user.cast(text, seconds)])).toEqual([null])
}

test('reads of both APIs go to the replica', async () => {
  const server = await start({ REPLICA_MAX_LAG_MS: '600000' })
  await untilInUse(server)
  await replica.catchUp()
  await replica.pauseReplay()
  await cast(other, alice, 'not on the replica')
  seconds += 1
  await other.submit([bob.link(1, seconds)])
  expect(await textsOf(server, 1)).toEqual([])
  expect(await followedBy(server, 2)).toEqual([])
  await replica.resumeReplay()
  await expect.poll(() => textsOf(server, 1)).toEqual(['not on the replica'])
  await expect.poll(() => followedBy(server, 2)).toEqual([1])
  expect(await readsOf(server, 'used')).toBeGreaterThan(3)
})

test('a caller sees its own writes, on a replica that keeps up and on one that does not', async () => {
  const server = await start({ REPLICA_MAX_LAG_MS: '600000' })
  await untilInUse(server)
  for (let attempt = 1; attempt <= 30; attempt += 1) {
    await cast(server.hub, alice, `attempt ${attempt}`)
    expect((await textsOf(server, 1))[0]).toBe(`attempt ${attempt}`)
  }
  expect(await readsOf(server, 'waited')).toBeGreaterThan(0)
  await replica.pauseReplay()
  await cast(server.hub, alice, 'while the replica waits')
  expect((await textsOf(server, 1))[0]).toBe('while the replica waits')
  expect(await readsOf(server, 'behind')).toBeGreaterThan(0)
  // Another user's reads use the replica still.
  const used = await readsOf(server, 'used')
  expect(await textsOf(server, 3)).toEqual([])
  expect(await readsOf(server, 'used')).toBe(used + 1)
})

test('a write that is no message is seen by the key that wrote it', async () => {
  const server = await start({ REPLICA_MAX_LAG_MS: '600000' })
  await untilInUse(server)
  await replica.pauseReplay()
  const ban = (method: string) => server.send(method, 'ban', { fids: [3] })
  const banned = async () => (await server.get('ban/list')).bans.length
  expect((await ban('POST')).status).toBe(200)
  expect(await banned()).toBe(1)
  expect((await ban('DELETE')).status).toBe(200)
  expect(await banned()).toBe(0)
})

test('a replica that lags more than the bound is left out until it has caught up', async () => {
  const server = await start({ REPLICA_MAX_LAG_MS: '300' })
  await untilInUse(server)
  await replica.pauseReplay()
  await cast(other, bob, 'late')
  await untilInUse(server, false)
  const lag = /plaza_replica_lag_seconds\{[^}]*\} ([\d.]+)/.exec(await metricsOf(server))
  expect(Number(lag?.[1])).toBeGreaterThan(0.3)
  expect((await textsOf(server, 2))[0]).toBe('late')
  expect(await readsOf(server, 'unavailable')).toBe(1)
  await replica.resumeReplay()
  await untilInUse(server)
  const used = await readsOf(server, 'used')
  expect((await textsOf(server, 2))[0]).toBe('late')
  expect(await readsOf(server, 'used')).toBe(used + 1)
})

test('a killed replica fails no request, and is used again when it is back', async () => {
  const server = await start()
  await untilInUse(server)
  let isDone = false
  const statuses = new Set<number>()
  const readers = Array.from({ length: 4 }, async () => {
    while (!isDone) {
      const replies = await Promise.all([
        fetch(`${server.urls.main}/v1/castsByFid?fid=1`),
        server.send('GET', 'following?fid=2'),
      ])
      for (const { status } of replies) statuses.add(status)
    }
  })
  await expect.poll(() => readsOf(server, 'used'), { interval: 20 }).toBeGreaterThan(20)
  await replica.kill()
  await untilInUse(server, false)
  await expect.poll(() => readsOf(server, 'unavailable'), { interval: 20 }).toBeGreaterThan(20)
  await replica.start()
  await untilInUse(server)
  isDone = true
  await Promise.all(readers)
  expect([...statuses]).toEqual([200])
})

test('a primary that is given as replica is not used', async () => {
  const server = await start({ DATABASE_REPLICA_URL: `${primary.url},${replica.url}` })
  await untilInUse(server)
  const name = new URL(primary.url).host
  expect(await metricsOf(server)).toContain(`plaza_replica_in_use{replica="${name}"} 0`)
})
