import { describe, expect, test } from 'vitest'
import { testNow } from '../../../../test/network.js'
import {
  castId,
  createCastNetwork,
  prefixedHash,
  recast,
  userOf,
} from '../../casts/routes/testing/cast-network.js'

const { ask, api, merge, pages, createChannel, countStatements } = await createCastNetwork(6)
const [alice, bob, carol, dave] = [userOf(1), userOf(2), userOf(3), userOf(4)]
const gardens = 'https://example.com/~/channel/gardens'
await createChannel('gardens', { urls: [gardens] })
const HOUR = 3_600

const old = alice.cast('old and loved', testNow - 20 * HOUR, { parentUrl: gardens })
const freshCast = bob.cast('fresh', testNow - HOUR)
const answered = carol.cast('answered', testNow - 2 * HOUR)
const ignored = carol.cast('ignored', testNow - 60)
const reply = dave.cast('reply', testNow - HOUR, { parentCastId: castId(answered) })
const ancientCast = alice.cast('ancient', testNow - 100 * HOUR, { parentUrl: gardens })
await merge(old, freshCast, answered, ignored, reply, ancientCast)
await merge(...[2, 3, 4, 5, 6].map((fid) => userOf(fid).react(old, testNow - 60)))
await merge(
  alice.react(freshCast, testNow - 50),
  dave.react(reply, testNow - 50),
  recast(dave, ancientCast, testNow - 50),
)
await merge(alice.link(4, testNow - 40), userOf(6).link(2, testNow - 40), userOf(6).link(5, testNow - 40))

const texts = async (path: string, query: Record<string, string | number>) =>
  (await ask(path, query)).casts.map(({ text }) => text)

describe('feed/trending', () => {
  // Scores: 3 / 4^1.5 = 0.38 for a reply after two hours, 1 / 3^1.5 = 0.19, 5 / 22^1.5 = 0.05.
  test.each([
    [{}, ['answered', 'fresh', 'old and loved']],
    [{ time_window: '6h' }, ['answered', 'fresh']],
    [{ time_window: '1h' }, []],
    [{ channel_id: 'gardens' }, ['old and loved']],
    [{ parent_url: gardens, time_window: '7d' }, ['old and loved', 'ancient']],
    [{ viewer_fid: 6 }, ['answered', 'fresh', 'old and loved']],
  ])('%j', async (query, expected) => {
    expect(await texts('feed/trending', query)).toEqual(expected)
    expect(await countStatements('feed/trending', { ...query, viewer_fid: 6 })).toBeLessThanOrEqual(6)
  })

  test('feed?filter_type=global_trending has the same order', async () => {
    const query = { feed_type: 'filter', filter_type: 'global_trending', limit: 50 }
    expect(await texts('feed', query)).toEqual(['answered', 'fresh', 'old and loved'])
    const seen = await pages('feed', { ...query, limit: 2 })
    expect(seen.map((page) => page.length)).toEqual([2, 1])
  })

  test('pages stay stable while casts are liked', async () => {
    const seen = await pages('feed/trending', { limit: 1 }, async (page) => {
      if (page === 1) await merge(alice.react(ignored, testNow - 10), carol.react(ignored, testNow - 10))
    })
    expect(seen.flat()).toEqual([answered, freshCast, old].map(prefixedHash))
    expect((await texts('feed/trending', {}))[0]).toBe('ignored')
  })

  test.each([
    [{ time_window: '7d' }, 'time_window'],
    [{ channel_id: 'gardens', parent_url: gardens }, 'channel_id'],
    [{ limit: 11 }, 'limit'],
  ])('400: %j names %s', async (query, property) => {
    expect((await api.get('feed/trending', query)).json()).toMatchObject({ status: 400, property })
  })
})

describe('feed/for_you', () => {
  test('shows casts of followed users and casts they react to', async () => {
    expect(await texts('feed/for_you', { fid: 6 })).toEqual(['fresh', 'old and loved'])
    expect(await texts('feed/for_you', { fid: 1 })).toEqual(['reply'])
    expect(await texts('feed/for_you', { fid: 3 })).toEqual([])
    expect((await pages('feed/for_you', { fid: 6, limit: 1 })).flat()).toEqual(
      [freshCast, old].map(prefixedHash),
    )
    expect(await countStatements('feed/for_you', { fid: 6, viewer_fid: 6 })).toBeLessThanOrEqual(6)
  })

  test('leaves out blocked users', async () => {
    await merge(userOf(5).link(2, testNow - 30, { type: 'block' }))
    expect(await texts('feed/for_you', { fid: 6, viewer_fid: 5 })).toEqual(['old and loved'])
  })

  test('400: without fid', async () => {
    expect((await api.get('feed/for_you', {})).json()).toMatchObject({ status: 400, property: 'fid' })
  })
})

describe('feed/user/popular', () => {
  test('shows ten casts, most popular first', async () => {
    expect(await texts('feed/user/popular', { fid: 1 })).toEqual(['old and loved', 'ancient'])
    await merge(...Array.from({ length: 12 }, (_, n) => alice.cast(`quiet ${n}`, testNow - 500 + n)))
    const popular = await texts('feed/user/popular', { fid: 1, viewer_fid: 6 })
    expect(popular.slice(0, 3)).toEqual(['old and loved', 'ancient', 'quiet 11'])
    expect(popular).toHaveLength(10)
    expect(await texts('feed/user/popular', { fid: 99 })).toEqual([])
    expect(await countStatements('feed/user/popular', { fid: 1, viewer_fid: 6 })).toBeLessThanOrEqual(6)
  })

  test('400: without fid', async () => {
    expect((await api.get('feed/user/popular', {})).json()).toMatchObject({ status: 400, property: 'fid' })
  })
})

test.each([
  ['feed/trending', {}, 'feed/trending'],
  ['feed/for_you', { fid: 6 }, 'feed/for_you'],
  ['feed', { feed_type: 'filter', filter_type: 'global_trending' }, 'feed: global_trending'],
  ['cast/search', { q: 'fresh', sort_type: 'algorithmic' }, 'cast/search: literal algorithmic'],
])('400: %s %j with a time that no message has in its cursor', async (path, query, order) => {
  for (const ts of [Number.MIN_SAFE_INTEGER, -1, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    const cursor = Buffer.from(JSON.stringify([order, ts, 1, 'ff'])).toString('base64url')
    const reply = await api.get(path, { ...query, cursor })
    expect(reply.json()).toMatchObject({ status: 400, property: 'cursor' })
  }
})
