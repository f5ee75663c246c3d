import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { rebuildInbox } from '../../src/features/notifications/refresh.js'
import { SignerEventType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { farcasterSecondsFromUnixMs } from '../../src/protocol/time.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { TestUser } from '../network.js'
import { createDataDir, type ServerProcess, startServerProcess } from '../server-process.js'

// The server is compiled first.
const shards = 2
const apiKey = 'a-key-for-the-test'
const { db, url } = await createTestDatabase()
const hub = await createTestHub(db, { shards, clock: Date.now })
const users = Array.from({ length: 8 }, (_, index) => new TestUser(index + 1))
const now = farcasterSecondsFromUnixMs(Date.now()) - 1_000

async function serve(): Promise<ServerProcess> {
  return await startServerProcess({
    dataDir: await createDataDir(),
    env: {
      DATABASE_URL: url,
      HUB_SHARDS: String(shards),
      CRAWL_EMBEDS: 'false',
      SCORE_INTERVAL_HOURS: '0',
      PLAZA_DEV_API_KEY: apiKey,
    },
  })
}

async function kill(server: ServerProcess): Promise<void> {
  server.child.kill('SIGKILL')
  await server.ended
}

/** Actions between users, some of which are undone. */
function userActions(round: number): SignedMessage[] {
  const at = now + round * 4
  return users.flatMap((user, index) => {
    const other = users[(index + 1 + (round % 7)) % users.length]!
    const cast = user.cast(`round ${round}`, at, { mentions: [other.fid], mentionsPositions: [0] })
    const follow = user.link(other.fid, at + 1, { remove: round % 3 === 0 })
    const removed = round % 4 === 0 ? [user.removeCast(cast.hash, at + 3)] : []
    return [cast, other.react(cast, at + 2), follow, ...removed]
  })
}

async function isCaughtUp(): Promise<boolean> {
  const rows = await db`
    select from hub.consumers c
    where c.name = 'inbox' and not exists (
      select from hub.events e where e.shard = c.shard and e.id >= c.next_id
    )
  `
  return rows.length === shards
}

test('inbox: killed consumers leave nothing missing or stale', async () => {
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain({ units: 5 })))
  const servers = await Promise.all([serve(), serve()])
  for (let round = 0; round < 40; round += 1) {
    await hub.submit(userActions(round))
    if (round === 25) {
      await hub.submitOnChainEvents([users[7]!.signerEvent(SignerEventType.REMOVE, 10_000)])
    }
    if (round % 10 === 5) {
      const victim = Math.floor(round / 10) % 2
      await kill(servers[victim]!)
      servers[victim] = await serve()
    }
    if (round % 10 === 9) {
      await db`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'plaza consumers'
      `
    }
    await sleep(round % 7)
  }
  await vi.waitUntil(isCaughtUp, { timeout: 300_000, interval: 50 })
  expect(await db.begin((transaction) => rebuildInbox(transaction))).toEqual({ written: 0, removed: 0 })
  const [row] = await db<{ count: number }[]>`select count(*) from inbox.notifications`
  expect(row!.count).toBeGreaterThan(100)

  const response = await fetch(`${servers[0].url}/v2/farcaster/notifications?fid=1`, {
    headers: { 'x-api-key': apiKey },
  })
  expect(await response.json()).toMatchObject({ notifications: { length: 15 } })
  const metrics = async () => await (await fetch(`${servers[1].url}/metrics`)).text()
  // What the database answers late is left out of a reply.
  await expect.poll(metrics).toContain('plaza_consumer_lag_blocks{consumer="inbox",shard="1"} 0')
})
