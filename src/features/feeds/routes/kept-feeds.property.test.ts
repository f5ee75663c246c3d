import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testNow } from '../../../../test/network.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { castId, createCastNetwork, recast, userOf } from '../../casts/routes/testing/cast-network.js'

const { api, keptApi, merge, createChannel } = await createCastNetwork(5)
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
    { weight: 1, arbitrary: fc.constantFrom('remove', 'unfollow', 'block', 'mute', 'ban') },
  ),
  fid: fc.integer({ min: 2, max: 5 }),
  pick: fc.nat(20),
  looksBefore: fc.boolean(),
})

test('a feed whose beginning is kept is the feed as it is read anew, whatever has happened', async () => {
  let second = testNow - 80_000
  let standing: SignedMessage[] = []
  let longest = 0
  const changes = {
    cast: async (fid: number, pick: number) => {
      const cast = userOf(fid).cast(`cast ${second}`, second, pick % 2 ? { parentUrl: url } : {})
      standing.push(cast)
      await merge(cast)
    },
    remove: async (_: number, pick: number) => {
      const gone = standing[pick % Math.max(1, standing.length)]
      if (!gone) return
      standing = standing.filter((cast) => cast !== gone)
      await merge(userOf(gone.data.fid).removeCast(castId(gone).hash, second))
    },
    recast: async (fid: number, pick: number) => {
      const target = standing[pick % Math.max(1, standing.length)]
      if (target) await merge(recast(userOf(fid), target, second))
    },
    follow: (fid: number) => merge(userOf(1).link(fid, second)),
    unfollow: (fid: number) => merge(userOf(1).link(fid, second, { remove: true })),
    block: (fid: number) => merge(userOf(1).link(fid, second, { type: 'block' })),
    unblock: (fid: number) => merge(userOf(1).link(fid, second, { type: 'block', remove: true })),
    mute: (fid: number) => relate('POST', 'mute', { fid: 1, muted_fid: fid }),
    unmute: (fid: number) => relate('DELETE', 'mute', { fid: 1, muted_fid: fid }),
    ban: (fid: number) => relate('POST', 'ban', { fids: [fid] }),
    unban: (fid: number) => relate('DELETE', 'ban', { fids: [fid] }),
  }
  async function relate(method: 'POST' | 'DELETE', path: string, body: object): Promise<void> {
    const { statusCode, body: reply } = await keptApi.send(method, path, body)
    expect(statusCode, reply).toBe(200)
  }

  const look = async (of: typeof api) =>
    await Promise.all(
      feeds.map(async ([path, query]) => {
        const { casts, next } = (await of.get(path, { ...query, limit: 4 })).json()
        longest = Math.max(longest, casts.length)
        return { hashes: casts.map(({ hash }: { hash: string }) => hash), next }
      }),
    )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 25 }), async (steps) => {
      for (const { kind, fid, pick, looksBefore } of steps) {
        if (looksBefore) await look(keptApi)
        second += 1
        await changes[kind](fid, pick)
        expect(await look(keptApi), `after ${kind} ${fid}`).toEqual(await look(api))
      }
    }),
    { numRuns: 8 },
  )
  expect(longest).toBe(4)
})
