import { expect, test } from 'vitest'
import { farcasterSecondsFromUnixMs } from '../src/protocol/time.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer } from './running-server.js'
import { createDataDir, runCommand } from './server-process.js'

// Includes compilation of the command.
const { db, url } = await createTestDatabase()
const [alice, bob] = [new TestUser(1), new TestUser(2)]
const now = farcasterSecondsFromUnixMs(Date.now()) - 100

async function runRebuild(): Promise<string> {
  const running = await runCommand(['inbox', 'rebuild'], {
    dataDir: await createDataDir(),
    env: { DATABASE_URL: url },
  })
  expect(await running.ended, running.output()).toMatchObject({ code: 0 })
  return running.output()
}

test('events of one server are notifications on all servers moments later', async () => {
  const [one, other] = [
    await startTestServer(url, { CRAWL_EMBEDS: 'false' }),
    await startTestServer(url, { CRAWL_EMBEDS: 'false' }),
  ]
  const shownKinds = async (server: typeof one) =>
    (await server.get('notifications?fid=1')).notifications.map(({ type }: { type: string }) => type)
  await one.hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain()))
  expect(await one.hub.submit([bob.link(1, now)])).toEqual([null])
  await expect.poll(() => shownKinds(other)).toEqual(['follows'])
  expect(
    await other.hub.submit([bob.cast('hi', now + 1, { mentions: [1], mentionsPositions: [0] })]),
  ).toEqual([null])
  await expect.poll(() => shownKinds(one)).toEqual(['mention', 'follows'])
  expect(await runRebuild()).toContain('notifications: correct')
})

test('a rebuild beside a running server repairs notifications', async () => {
  await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  await db`update inbox.notifications set ts = ts - 10 where kind = 1`
  await db`delete from inbox.notifications where kind = 4`
  await db`insert into inbox.notifications (fid, kind, hash, ts, actor) values (1, 4, '\\x01', 5, 2)`
  expect(await runRebuild()).toContain('notifications: 2 written, 1 removed')
  expect(await db`select kind, ts from inbox.notifications order by kind`).toEqual([
    { kind: 1, ts: now },
    { kind: 4, ts: now + 1 },
  ])
})

test('a server rebuilds after events were dropped that it had not consumed', async () => {
  await db`delete from inbox.notifications`
  await db`delete from hub.consumers`
  await db`update hub.shards set first_retained_id = (select max(id) + 1 from hub.events)`
  await db`delete from hub.events`
  await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  await expect
    .poll(() => db`select kind from inbox.notifications order by kind`)
    .toEqual([{ kind: 1 }, { kind: 4 }])
})
