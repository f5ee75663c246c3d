import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testNow } from '../../../../test/network.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { createCastNetwork, prefixedHash, recast, userOf } from '../../casts/routes/testing/cast-network.js'

const { pages, merge, createChannel, db } = await createCastNetwork(5)
const authors = [2, 3, 4].map(userOf)
const url = 'https://example.com/~/channel/paging'
await createChannel('paging', { urls: [url] })
await merge(...authors.map(({ fid }) => userOf(1).link(fid, testNow - 5000)))

async function reset(): Promise<void> {
  await db`truncate social.casts, social.cast_counts, social.reactions, social.url_embeds, social.url_activity`
  await db`delete from hub.messages where fid > 1`
  await db`delete from hub.set_counts where fid > 1`
}

let serial = 0
/** Few seconds, so that many casts share one. */
const castArbitrary = fc.record({
  author: fc.constantFrom(...authors),
  position: fc.integer({ min: testNow - 12, max: testNow - 1 }),
  isRecast: fc.boolean(),
})

function castsOf(steps: readonly { author: (typeof authors)[number]; position: number }[]): SignedMessage[] {
  return steps.map(({ author, position }) =>
    author.cast(`cast ${serial++}`, position, {
      parentUrl: url,
      embeds: [{ url: 'https://pages.example/x.png' }],
    }),
  )
}

const feeds = [
  ['feed', { feed_type: 'following', fid: 1 }],
  ['feed', { fid: 1, with_recasts: false }],
  ['feed', { filter_type: 'fids', fids: '2,3,4' }],
  ['feed', { filter_type: 'channel_id', channel_id: 'paging' }],
  ['feed', { filter_type: 'embed_url', embed_url: 'pages.example' }],
  ['feed/user/casts', { fid: 2 }],
] as const

test.each(feeds)(
  '%s %j: paging through changing data loses nothing that stood still',
  async (path, query) => {
    const history = fc.record({
      before: fc.array(castArbitrary, { minLength: 1, maxLength: 14 }),
      meanwhile: fc.array(castArbitrary, { maxLength: 4 }),
      removed: fc.nat(13),
      limit: fc.integer({ min: 1, max: 5 }),
    })
    await fc.assert(
      fc.asyncProperty(history, async ({ before, meanwhile, removed, limit }) => {
        await reset()
        const storedCasts = castsOf(before)
        await merge(...storedCasts)
        const authoredCasts =
          path === 'feed/user/casts' ? storedCasts.filter(({ data }) => data.fid === 2) : storedCasts
        const repeats = before.flatMap(({ isRecast, position, author }, index) =>
          isRecast ? [recast(author, storedCasts[index]!, position + 20)] : [],
        )
        await merge(...repeats)
        const laterRecasts = before.flatMap(({ author }, index) =>
          index < meanwhile.length ? [recast(author, storedCasts[index]!, testNow + 30)] : [],
        )
        const removedCast = storedCasts[removed % storedCasts.length]!
        const late = castsOf(meanwhile)
        const seen = await pages(path, { ...query, limit }, async (page) => {
          if (page === 1)
            await merge(
              ...late,
              ...laterRecasts,
              userOf(removedCast.data.fid).removeCast(removedCast.hash, testNow),
            )
        })
        const all = seen.flat()
        expect(new Set(all).size).toBe(all.length)
        for (const cast of authoredCasts) if (cast !== removedCast) expect(all).toContain(prefixedHash(cast))
        expect(all.length).toBeLessThanOrEqual(authoredCasts.length + late.length)
      }),
      { numRuns: 15 },
    )
  },
)

const recastFeeds = [
  ['feed', { feed_type: 'following', fid: 1 }],
  ['feed', { filter_type: 'fids', fids: '2,3,4' }],
  ['feed/user/replies_and_recasts', { fid: 2, filter: 'recasts' }],
] as const

test.each(recastFeeds)(
  '%s %j: casts of others come once, whatever time recasts have that are stored meanwhile',
  async (path, query) => {
    const outsider = userOf(5)
    const recastArbitrary = fc.record({
      cast: fc.nat(4),
      author: fc.constantFrom(...authors),
      position: fc.integer({ min: testNow - 12, max: testNow - 1 }),
    })
    const history = fc.record({
      before: fc.array(recastArbitrary, { minLength: 2, maxLength: 12 }),
      meanwhile: fc.array(recastArbitrary, { minLength: 1, maxLength: 8 }),
      limit: fc.integer({ min: 1, max: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(history, async ({ before, meanwhile, limit }) => {
        await reset()
        const casts = Array.from({ length: 5 }, () => outsider.cast(`cast ${serial++}`, testNow - 50))
        await merge(...casts)
        // A second recast of a cast by the same author takes the place of the first.
        const key = ({ cast, author }: (typeof before)[number]) => `${cast} ${author.fid}`
        const first = new Map(before.map((each) => [key(each), each]))
        const later = new Map(meanwhile.flatMap((each) => (first.has(key(each)) ? [] : [[key(each), each]])))
        const messagesOf = (recasts: typeof first) =>
          [...recasts.values()].map(({ cast, author, position }) => recast(author, casts[cast]!, position))
        await merge(...messagesOf(first))
        const seen = await pages(path, { ...query, limit }, async (page) => {
          if (page === 1) await merge(...messagesOf(later))
        })
        const isSelected = ({ author }: (typeof before)[number]) =>
          !('fid' in query) || query.fid === 1 || author.fid === query.fid
        const expected = [...first.values()].filter(isSelected).map(({ cast }) => prefixedHash(casts[cast]!))
        expect(seen.flat().sort()).toEqual([...new Set(expected)].sort())
      }),
      { numRuns: 25 },
    )
  },
)

test('the following feed finds rare casts far back', async () => {
  await reset()
  const rarePages = castsOf(
    Array.from({ length: 7 }, (_, index) => ({ author: userOf(2), position: testNow - 4000 - index })),
  )
  const noise = Array.from({ length: 300 }, (_, index) =>
    userOf(1).cast(`noise ${index}`, testNow - index - 1),
  )
  await merge(...noise, ...rarePages)
  await merge(recast(userOf(3), noise[5]!, testNow - 4500))
  const seen = await pages('feed/following', { fid: 1, limit: 3 })
  expect(seen.flat()).toEqual([...rarePages.map(prefixedHash), prefixedHash(noise[5]!)])
  const [hash] = await db`select following_count from social.user_counts where fid = 1`
  expect(hash!.following_count).toBe(3)
})

test('recasts that are not shown do not empty pages', async () => {
  await reset()
  const unstored = Array.from({ length: 100 }, () =>
    userOf(5).cast(`never stored ${serial++}`, testNow - 900),
  )
  const own = castsOf([{ author: userOf(2), position: testNow - 800 }])
  await merge(...own, ...unstored.map((cast, index) => recast(userOf(2), cast, testNow - 500 - index)))
  const recastsOfOwn = [userOf(3), userOf(4)].map((user) => recast(user, own[0]!, testNow - 5))
  await merge(...recastsOfOwn)
  for (const query of [{ fid: 1 }, { filter_type: 'fids', fids: '2' }])
    expect(await pages('feed', { ...query, limit: 3 })).toEqual([own.map(prefixedHash)])
})
