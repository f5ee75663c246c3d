import { expect, test } from 'vitest'
import { mute, unmute } from '../src/features/moderation/relations.js'
import { uncachedWriter } from '../src/graph/cache/invalidation.js'
import { UserDataType } from '../src/protocol/definitions.js'
import type { SignedMessage } from '../src/protocol/message.js'
import { farcasterSecondsFromUnixMs } from '../src/protocol/time.js'
import { createTestDatabase } from './database.js'
import { TestUser } from './network.js'
import { startTestServer, type TestServer } from './running-server.js'

const { db, url } = await createTestDatabase()
const [alice, bob] = [new TestUser(1), new TestUser(2)]
const now = farcasterSecondsFromUnixMs(Date.now())
const start = () => startTestServer(url, { CRAWL_EMBEDS: 'false' })

/** The documented limit is one second. A stale cache entry would live for a minute. */

async function submit(server: TestServer, ...messages: SignedMessage[]): Promise<void> {
  expect(await server.hub.submit(messages)).toEqual(messages.map(() => null))
}

async function register(server: TestServer): Promise<void> {
  await server.hub.submitOnChainEvents([alice, bob].flatMap((user) => user.onChain()))
}

const bioOf = async (server: TestServer) => (await server.get('user/bulk?fids=1')).users[0].profile.bio.text
const pathOf = (cast: SignedMessage) => `cast?type=hash&identifier=0x${cast.hash.toString('hex')}`
const likesOf = async (server: TestServer, cast: SignedMessage): Promise<number> =>
  (await server.get(pathOf(cast))).cast.reactions.likes_count

test('a write through one server is visible there immediately, and soon on the other', async () => {
  const [one, other] = [await start(), await start()]
  await register(one)
  for (let attempt = 1; attempt <= 20; attempt += 1) {
    const [writing, reading] = attempt % 2 === 0 ? [one, other] : [other, one]
    // Both servers cache it from here on.
    await Promise.all([bioOf(one), bioOf(other)])
    await submit(writing, alice.userData(UserDataType.BIO, `bio ${attempt}`, now - 100 + attempt))
    expect(await bioOf(writing)).toBe(`bio ${attempt}`)
    await expect.poll(() => bioOf(reading)).toBe(`bio ${attempt}`)
  }
})

test('both servers stop counting follows that a compact state ended', async () => {
  const [one, other] = [await start(), await start()]
  await register(one)
  const followersOf = async (server: TestServer) =>
    (await server.get('user/bulk?fids=1')).users[0].follower_count
  await submit(one, bob.link(1, now - 50))
  await expect.poll(() => followersOf(other)).toBe(1)
  await submit(one, bob.compactLinks([7], now - 40))
  expect(await followersOf(one)).toBe(0)
  await expect.poll(() => followersOf(other)).toBe(0)
})

test('a page that is rendered during a write is not cached', async () => {
  const server = await start()
  await register(server)
  const cast = alice.cast('like me', now - 30)
  await submit(server, cast)
  let page: Promise<number> = Promise.resolve(0)
  await db.begin(async (transaction) => {
    // The cast is read before its author, which is delayed here.
    await transaction`lock table social.verifications`
    page = likesOf(server, cast)
    const countHeldLocks = () =>
      db`
        select from pg_locks
        where relation = 'social.verifications'::regclass and not granted
          and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(countHeldLocks).toHaveLength(1)
    await submit(server, bob.react(cast, now - 20))
  })
  expect(await page).toBe(0)
  expect(await likesOf(server, cast)).toBe(1)
})

test('a feed by URL shows a new cast immediately on its server, and soon on the other', async () => {
  const [one, other] = [await start(), await start()]
  await register(one)
  const parentUrl = 'https://example.com/shared-feed'
  const feedOf = async (server: TestServer): Promise<string[]> => {
    const query = `feed_type=filter&filter_type=parent_url&parent_url=${encodeURIComponent(parentUrl)}`
    return (await server.get(`feed?${query}&viewer_fid=2`)).casts.map(({ text }: { text: string }) => text)
  }
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const [writing, reading] = attempt % 2 === 0 ? [one, other] : [other, one]
    // Both servers cache it from here on.
    await Promise.all([feedOf(one), feedOf(other)])
    await submit(writing, alice.cast(`cast ${attempt}`, now - 100 + attempt, { parentUrl }))
    expect((await feedOf(writing))[0]).toBe(`cast ${attempt}`)
    await expect.poll(() => feedOf(reading)).toHaveLength(attempt)
  }
  await mute(uncachedWriter(db), 2, 1, now)
  for (const server of [one, other]) await expect.poll(() => feedOf(server)).toEqual([])
  await unmute(uncachedWriter(db), 2, 1)
  for (const server of [one, other]) await expect.poll(() => feedOf(server)).toHaveLength(10)
  await submit(one, bob.link(1, now - 50, { type: 'block' }))
  expect(await feedOf(one)).toEqual([])
  await expect.poll(() => feedOf(other)).toEqual([])
})
