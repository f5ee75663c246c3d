import { expect, test } from 'vitest'
import { farcasterSecondsFromUnixMs } from '../src/protocol/time.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer } from './running-server.js'
import { createDataDir, runCommand } from './server-process.js'

// Includes compilation of the commands.
const { db, url } = await createTestDatabase()
const alice = new TestUser(1)

async function runCli(command: string, code = 0): Promise<string> {
  const dataDir = await createDataDir()
  const running = await runCommand([command], { dataDir, env: { DATABASE_URL: url } })
  expect(await running.ended, running.output()).toMatchObject({ code })
  return running.output()
}

test('a new database has nothing to replay or recount', async () => {
  expect(await runCli('replay', 1)).toContain('no server has used this database yet')
  expect(await runCli('recount', 1)).toContain('no server has used this database yet')
})

test('a running server shows a replay immediately', async () => {
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  await server.hub.submitOnChainEvents(alice.onChain())
  const now = farcasterSecondsFromUnixMs(Date.now())
  const cast = alice.cast('as it was signed', now)
  expect(await server.hub.submit([cast])).toEqual([null])
  const textShown = async () =>
    (await server.get(`cast?type=hash&identifier=0x${cast.hash.toString('hex')}`)).cast.text
  await db`update social.casts set text = 'damaged'`
  // The view is cached from here on.
  expect(await textShown()).toBe('damaged')
  expect(await runCli('replay')).toContain('the read model is rebuilt')
  await expect.poll(textShown).toBe('as it was signed')
})

test('a recount reports wrong counters, and a running server shows the repaired ones', async () => {
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  const bob = new TestUser(2)
  await server.hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
  const now = farcasterSecondsFromUnixMs(Date.now())
  expect(await server.hub.submit([bob.link(1, now)])).toEqual([null])
  const readFollowerCount = async () => (await server.get('user/bulk?fids=1')).users[0].follower_count
  await db`update social.user_counts set follower_count = 50 where fid = 1`
  await expect.poll(readFollowerCount).toBe(50)
  const output = await runCli('recount')
  expect(output).toContain('followers and follows: 1 wrong, repaired')
  expect(output).toContain('messages in sets: correct')
  await expect.poll(readFollowerCount).toBe(1)
})

test('an interrupted replay says so, and changes nothing', async () => {
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  await server.hub.submitOnChainEvents(alice.onChain())
  const cast = alice.cast('untouched', farcasterSecondsFromUnixMs(Date.now()))
  await server.hub.submit([cast])
  await db`update social.casts set text = 'shown' where hash = ${cast.hash}`
  const running = await runCommand(['replay'], {
    dataDir: await createDataDir(),
    env: { DATABASE_URL: url },
  })
  const isWaiting = () => db`
    select from pg_stat_activity
    where datname = current_database() and application_name = 'plaza replay' and wait_event_type = 'Lock'
  `
  await db.begin(async (transaction) => {
    await transaction`lock table hub.onchain_events`
    await expect.poll(isWaiting).toHaveLength(1)
    running.child.kill('SIGINT')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  })
  expect(await running.ended).toEqual({ code: 1, signal: null })
  expect(running.output()).toContain('plaza: stopped; the read model is unchanged')
  expect(await db`select text from social.casts where hash = ${cast.hash}`).toEqual([{ text: 'shown' }])
  expect(await db`select from pg_namespace where nspname like 'social\\_%'`).toHaveLength(0)
})
