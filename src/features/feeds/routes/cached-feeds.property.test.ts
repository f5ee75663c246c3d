import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testNow } from '../../../../test/network.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { castId, createCastNetwork, recast, userOf } from '../../casts/routes/testing/cast-network.js'

const { api, cachedApi, merge, createChannel } = await createCastNetwork(5)
const url = 'https://example.com/~/channel/kept'
await createChannel('kept', { urls: [url] })

const feeds = [
  ['feed/following', { fid: 1, viewer_fid: 1 }],
  ['feed', { feed_type: 'following', fid: 1, with_recasts: false }],
  ['feed', { filter_type: 'channel_id', channel_id: 'kept', viewer_fid: 1 }],
  ['feed', { filter_type: 'fids', fids: '2,3', viewer_fid: 1 }],
  ['feed/user/casts', { fid: 2, viewer_fid: 1 }],
] as const

const step = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('cast', 'recast') },
    { weight: 2, arbitrary: fc.constantFrom('follow', 'unblock', 'unmute', 'unban') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('remove', 'unfollow', 'block', 'mute', 'ban', 'followOnly', 'blockOnly'),
    },
  ),
  fid: fc.integer({ min: 2, max: 5 }),
  pick: fc.nat(20),
  fetchesBefore: fc.boolean(),
})

test('a cached first page equals a fresh one after any changes', async () => {
  let second = testNow - 80_000
  let storedCasts: SignedMessage[] = []
  let longestPage = 0
  const changes = {
    cast: async (fid: number, pick: number) => {
      const cast = userOf(fid).cast(`cast ${second}`, second, pick % 2 ? { parentUrl: url } : {})
      storedCasts.push(cast)
      await merge(cast)
    },
    remove: async (_: number, pick: number) => {
      const removedCast = storedCasts[pick % Math.max(1, storedCasts.length)]
      if (!removedCast) return
      storedCasts = storedCasts.filter((cast) => cast !== removedCast)
      await merge(userOf(removedCast.data.fid).removeCast(castId(removedCast).hash, second))
    },
    recast: async (fid: number, pick: number) => {
      const target = storedCasts[pick % Math.max(1, storedCasts.length)]
      if (target) await merge(recast(userOf(fid), target, second))
    },
    follow: (fid: number) => merge(userOf(1).link(fid, second)),
    unfollow: (fid: number) => merge(userOf(1).link(fid, second, { remove: true })),
    block: (fid: number) => merge(userOf(1).link(fid, second, { type: 'block' })),
    unblock: (fid: number) => merge(userOf(1).link(fid, second, { type: 'block', remove: true })),
    followOnly: (fid: number) => merge(userOf(1).compactLinks([fid], second)),
    blockOnly: (fid: number) => merge(userOf(1).compactLinks([fid], second, 'block')),
    mute: (fid: number) => changeRelation('POST', 'mute', { fid: 1, muted_fid: fid }),
    unmute: (fid: number) => changeRelation('DELETE', 'mute', { fid: 1, muted_fid: fid }),
    ban: (fid: number) => changeRelation('POST', 'ban', { fids: [fid] }),
    unban: (fid: number) => changeRelation('DELETE', 'ban', { fids: [fid] }),
  }
  async function changeRelation(method: 'POST' | 'DELETE', path: string, body: object): Promise<void> {
    const { statusCode, body: reply } = await cachedApi.send(method, path, body)
    expect(statusCode, reply).toBe(200)
  }

  // Without the time of the read, which differs.
  const endOf = (cursor: string | null) =>
    cursor && JSON.parse(Buffer.from(cursor, 'base64url').toString()).slice(0, 3)

  const fetchFeeds = async (of: typeof api) =>
    await Promise.all(
      feeds.map(async ([path, query]) => {
        const { casts, next } = (await of.get(path, { ...query, limit: 4 })).json()
        longestPage = Math.max(longestPage, casts.length)
        return { hashes: casts.map(({ hash }: { hash: string }) => hash), end: endOf(next.cursor) }
      }),
    )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      for (const { kind, fid, pick, fetchesBefore } of steps) {
        if (fetchesBefore) await fetchFeeds(cachedApi)
        second += 1
        await changes[kind](fid, pick)
        expect(await fetchFeeds(cachedApi), `after ${kind} ${fid}`).toEqual(await fetchFeeds(api))
      }
    }),
    { numRuns: 8 },
  )
  expect(longestPage).toBe(4)
})
