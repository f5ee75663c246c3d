import { expect, test } from 'vitest'
import { createApiKey } from '../src/features/apps/api-keys.js'
import { ensureApp } from '../src/features/apps/apps.js'
import { saveChannel } from '../src/features/channels/channels.js'
import { answerInvite, inviteMember } from '../src/features/channels/membership.js'
import { uncachedWriter } from '../src/graph/cache/invalidation.js'
import { farcasterSecondsFromUnixMs } from '../src/protocol/time.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer, type TestServer } from './running-server.js'

const { db, url } = await createTestDatabase()
const [alice, bob] = [new TestUser(1), new TestUser(2)]
const now = farcasterSecondsFromUnixMs(Date.now()) - 100
const gardens = 'https://example.com/~/channel/gardens'
/** The documented limit is one second. A stale cache entry would live for a minute. */

async function start(): Promise<TestServer> {
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  await server.hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain()))
  return server
}

test('a ban applies on its server immediately, and soon on the other', async () => {
  const [one, other] = [await start(), await start()]
  await one.hub.submit([bob.cast('tulips', now, { parentUrl: gardens })])
  const { key } = await createApiKey(db, { appId: await ensureApp(db, 'strict') })
  const ask = (server: TestServer, path: string, options: RequestInit = {}) =>
    fetch(`${server.urls.main}/v2/farcaster/${path}`, {
      ...options,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
  const casts = async (server: TestServer) => {
    const reply = await ask(server, `feed/parent_urls?parent_urls=${encodeURIComponent(gardens)}`)
    return ((await reply.json()) as { casts: unknown[] }).casts.length
  }
  for (let round = 0; round < 5; round += 1) {
    for (const [method, left] of [
      ['POST', 0],
      ['DELETE', 1],
    ] as const) {
      // Both servers cache it from here on.
      await Promise.all([casts(one), casts(other)])
      expect((await ask(one, 'ban', { method, body: JSON.stringify({ fids: [2] }) })).status).toBe(200)
      expect(await casts(one)).toBe(left)
      await expect.poll(() => casts(other)).toBe(left)
    }
  }
})

test('a new channel member soon appears on every server', async () => {
  const servers = [await start(), await start()]
  const unix = Math.floor(Date.now() / 1000)
  await saveChannel(
    uncachedWriter(db),
    { id: 'gardens', lead_fid: 1, followers: [{ fid: 2, followed_at: 1 }] },
    unix,
  )
  const count = async (server: TestServer) => (await server.get('channel?id=gardens')).channel.member_count
  for (const server of servers) await expect.poll(() => count(server)).toBe(1)
  await inviteMember(uncachedWriter(db), { channelId: 'gardens', callerFid: 1, fid: 2, role: 'member' }, unix)
  await answerInvite(uncachedWriter(db), { channelId: 'gardens', fid: 2, role: 'member', accept: true }, unix)
  for (const server of servers) await expect.poll(() => count(server)).toBe(2)
})
