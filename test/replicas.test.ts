import { getInsecureHubRpcClient } from '@farcaster/hub-nodejs'
import { afterAll, beforeEach, expect, test } from 'vitest'
import type { Hub } from '../src/hub/hub.js'
import { createTestHub } from './hub.js'
import { TestUser, testNow } from './network.js'
import { startReplicatedCluster } from './replicated-cluster.js'
import { startTestServer, type TestServer } from './running-server.js'

const { primary, replica } = await startReplicatedCluster()
const users = [1, 2, 3].map((fid) => new TestUser(fid)) as [TestUser, TestUser, TestUser]
const [alice, bob] = users
let seconds = testNow - 5_000

/** Writes what the server has not written itself, as another process does. */
const other = await createTestHub(primary.db)
await other.submitOnChainEvents(users.flatMap((user) => user.onChain()))

/** A server whose replica is used whatever it lags. The primary is given as one, too. */
const server = await startTestServer(
  primary.url,
  {
    DATABASE_REPLICA_URL: `${primary.url}, ${replica.url}`,
    REPLICA_MAX_LAG_MS: '600000',
    CRAWL_EMBEDS: 'false',
    HUB_GRPC_PORT: '0',
  },
  afterAll,
)
const grpc = getInsecureHubRpcClient(server.urls.grpc!)
afterAll(() => grpc.$.close())

async function metricsOf(of: TestServer): Promise<string> {
  return await (await fetch(`${of.urls.main}/metrics`)).text()
}

async function readsOf(of: TestServer, outcome: string): Promise<number> {
  const [, count = '0'] =
    new RegExp(`plaza_replica_reads_total\\{replica="[^"]*",outcome="${outcome}"\\} (\\d+)`).exec(
      await metricsOf(of),
    ) ?? []
  return Number(count)
}

async function untilInUse(of: TestServer, isExpected = true): Promise<void> {
  const line = `plaza_replica_in_use{replica="${replica.name}"} ${isExpected ? 1 : 0}`
  await expect.poll(() => metricsOf(of), { interval: 20 }).toContain(line)
}

/** Texts of the casts of a user, from the hub of a server. */
async function textsOf(of: TestServer, fid: number): Promise<string[]> {
  const reply = await fetch(`${of.urls.main}/v1/castsByFid?fid=${fid}&reverse=1`)
  expect(reply.status).toBe(200)
  const { messages } = (await reply.json()) as { messages: { data: { castAddBody: { text: string } } }[] }
  return messages.map(({ data }) => data.castAddBody.text)
}

/** How many reads of the replica a read of a user's casts was, whose first text is this one. */
async function countUsed(of: TestServer, fid: number, first: string | undefined): Promise<number> {
  const used = await readsOf(of, 'used')
  expect((await textsOf(of, fid))[0]).toBe(first)
  return (await readsOf(of, 'used')) - used
}

/** The same over gRPC. */
async function grpcTextsOf(fid: number): Promise<string[]> {
  const reply = await grpc.getCastsByFid({ fid, reverse: true })
  return reply._unsafeUnwrap().messages.map(({ data }) => data?.castAddBody?.text ?? '')
}

const followedBy = async (fid: number): Promise<number[]> =>
  (await server.get(`following?fid=${fid}`)).users.map(({ user }: { user: { fid: number } }) => user.fid)

async function cast(hub: Pick<Hub, 'submit'>, user: TestUser, text: string): Promise<void> {
  seconds += 1
  expect(await hub.submit([user.cast(text, seconds)])).toEqual([null])
}

beforeEach(async () => {
  await replica.resumeReplay()
  await untilInUse(server)
  await replica.catchUp()
})

test('reads of both APIs go to the replica', async () => {
  await replica.pauseReplay()
  await cast(other, alice, 'not on the replica')
  seconds += 1
  await other.submit([bob.link(1, seconds)])
  const found = async () => [await textsOf(server, 1), await grpcTextsOf(1), await followedBy(2)]
  // A replica whose position could not be read for a second is left out until the next time.
  await expect.poll(found).toEqual([[], [], []])
  await replica.resumeReplay()
  await replica.catchUp()
  const texts = ['not on the replica']
  expect(await found()).toEqual([texts, texts, [1]])
})

test('a caller sees its own writes, on a replica that keeps up and on one that does not', async () => {
  const written: string[] = []
  const read: (string | undefined)[] = []
  /** Writes, reads it through one of both APIs, and returns how many reads have ended so. */
  const writeAndRead = async (outcome: 'waited' | 'behind') => {
    const text = `attempt ${written.length}`
    written.push(text)
    await cast(server.hub, alice, text)
    read.push((await (written.length % 2 ? textsOf(server, 1) : grpcTextsOf(1)))[0])
    return await readsOf(server, outcome)
  }
  // A replica whose position could not be read for a second is left out, and is not asked; one that does not replay the write
  // in time is behind.
  await expect.poll(() => writeAndRead('waited')).toBeGreaterThan(0)
  for (let attempt = 1; attempt <= 20; attempt += 1) await writeAndRead('waited')
  await replica.pauseReplay()
  const before = await readsOf(server, 'behind')
  await expect.poll(() => writeAndRead('behind')).toBeGreaterThan(before)
  expect(read).toEqual(written)
  // Another user's reads use the replica still.
  await expect.poll(() => countUsed(server, 3, undefined)).toBe(1)
})

test('a write that is no message is seen by the key that wrote it', async () => {
  await replica.pauseReplay()
  const banned = async () => (await server.get('ban/list')).bans.length
  expect((await server.send('POST', 'ban', { fids: [3] })).status).toBe(200)
  expect(await banned()).toBe(1)
  expect((await server.send('DELETE', 'ban', { fids: [3] })).status).toBe(200)
  expect(await banned()).toBe(0)
})

test('a replica that lags more than the bound is left out until it has caught up', async () => {
  const strict = await startTestServer(primary.url, {
    DATABASE_REPLICA_URL: replica.url,
    REPLICA_MAX_LAG_MS: '300',
    CRAWL_EMBEDS: 'false',
  })
  await untilInUse(strict)
  await replica.pauseReplay()
  await cast(other, bob, 'late')
  await untilInUse(strict, false)
  const lag = async () =>
    Number(/plaza_replica_lag_seconds\{[^}]*\} ([\d.]+)/.exec(await metricsOf(strict))?.[1])
  await expect.poll(lag).toBeGreaterThan(0.3)
  expect((await textsOf(strict, 2))[0]).toBe('late')
  expect(await readsOf(strict, 'unavailable')).toBe(1)
  await replica.resumeReplay()
  await expect.poll(() => countUsed(strict, 2, 'late')).toBe(1)
})

/** Reads through both APIs while something happens. Returns the statuses of the replies. */
async function readDuring(happening: () => Promise<void>): Promise<Set<number>> {
  const statuses = new Set<number>()
  let isDone = false
  const readers = Array.from({ length: 4 }, async () => {
    while (!isDone) {
      const replies = await Promise.all([
        fetch(`${server.urls.main}/v1/castsByFid?fid=1`),
        server.send('GET', 'following?fid=2'),
      ])
      for (const { status } of replies) statuses.add(status)
    }
  })
  const used = await readsOf(server, 'used')
  await expect.poll(() => readsOf(server, 'used'), { interval: 20 }).toBeGreaterThan(used + 20)
  await happening()
  isDone = true
  await Promise.all(readers)
  return statuses
}

const untilReadElsewhere = async () => {
  await untilInUse(server, false)
  const reads = await readsOf(server, 'unavailable')
  await expect.poll(() => readsOf(server, 'unavailable'), { interval: 20 }).toBeGreaterThan(reads + 20)
}

test('a killed replica fails no request, and is used again when it is back', async () => {
  const statuses = await readDuring(async () => {
    await replica.kill()
    await untilReadElsewhere()
    await replica.start()
    await untilInUse(server)
  })
  expect([...statuses]).toEqual([200])
})

test('a frozen replica fails no request, and is used again when it runs', async () => {
  const statuses = await readDuring(async () => {
    replica.freeze()
    await untilReadElsewhere().finally(replica.unfreeze)
    await untilInUse(server)
  })
  expect([...statuses]).toEqual([200])
})

test('a primary that is given as replica is not used, and no replica that was promoted', async () => {
  const { host } = new URL(primary.url)
  expect(await metricsOf(server)).toContain(`plaza_replica_in_use{replica="${host}"} 0`)
  await replica.db`select pg_promote()`
  await untilInUse(server, false)
  await cast(other, bob, 'after the promotion')
  expect((await textsOf(server, 2))[0]).toBe('after the promotion')
})
