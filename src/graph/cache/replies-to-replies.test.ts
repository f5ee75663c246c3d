import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testNow } from '../../../test/network.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { Hydrator } from './hydrator.js'
import { createHydratorScene, hex } from './testing/hydrator-scene.js'

const { statements, alice, bob, carol, url, createHydrator, merge } = await createHydratorScene()

const users = [alice, bob, carol]
let second = testNow + 2_000

/** A cast, and replies each to the one before. */
function chainOf(length: number): SignedMessage[] {
  second += 1
  const chain = [bob.cast(`seeds ${second}`, second, { parentUrl: url })]
  while (chain.length < length) {
    const { data, hash } = chain.at(-1)!
    const answer = { parentCastId: { fid: data.fid, hash } }
    chain.push(users[chain.length % 3]!.cast(`answer ${chain.length}`, second, answer))
  }
  return chain
}

const viewOf = async (hydrator: Hydrator, casts: readonly SignedMessage[]) =>
  [...(await hydrator.casts(casts.map(hex), 1)).values()].map(String).toSorted()

test('replies to replies change at once with the casts above them', async () => {
  const cached = createHydrator()
  const [come, go] = [
    fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 4 }),
    fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 2 }),
  ]
  await fc.assert(
    fc.asyncProperty(come, go, async (added, removed) => {
      const chain = chainOf(6)
      const { data, hash } = chain[5]!
      const quote = carol.cast('so', second, { embeds: [{ castId: { fid: data.fid, hash } }] })
      const shown = [...chain, quote]
      const expectSame = async () =>
        expect(await viewOf(cached, shown)).toEqual(await viewOf(createHydrator(0), shown))
      await merge({ messages: [quote] }, cached)
      for (const index of added) {
        await merge({ messages: [chain[index]!] }, cached)
        await expectSame()
      }
      for (const index of removed) {
        second += 1
        const author = users[chain[index]!.data.fid - 1]!
        await merge({ messages: [author.removeCast(chain[index]!.hash, second)] }, cached)
        await expectSame()
      }
    }),
    { numRuns: 8 },
  )
})

test('replies deeper than the tags of a view reach are cached, and change with the casts above them', async () => {
  const cached = createHydrator(1000)
  const chain = chainOf(80)
  const deep = chain.slice(75)
  await merge({ messages: chain })
  await viewOf(cached, deep)
  statements.length = 0
  await viewOf(cached, deep)
  expect(statements.filter((sql) => sql.includes('social.quotes'))).toEqual([])
  second += 1
  await merge({ messages: [users[chain[3]!.data.fid - 1]!.removeCast(chain[3]!.hash, second)] }, cached)
  expect(await viewOf(cached, deep)).toEqual(await viewOf(createHydrator(0), deep))
})

test('replies of a thread that arrives from its end change with its first cast', async () => {
  const cached = createHydrator(1000)
  const chain = chainOf(310)
  const deep = chain.slice(305)
  await merge({ messages: chain.slice(60) }, cached)
  await merge({ messages: [chain[59]!] }, cached)
  await viewOf(cached, deep)
  await merge({ messages: chain.slice(0, 59) }, cached)
  const views = await viewOf(cached, deep)
  expect(views).toEqual(await viewOf(createHydrator(0), deep))
  expect(views[0]).toContain(`"thread_hash":"0x${hex(chain[0]!)}"`)
})

test('replies to replies are not loaded again when a reply in another thread is removed', async () => {
  const cached = createHydrator()
  const [chain, other] = [chainOf(4), chainOf(4)]
  await merge({ messages: [...chain, ...other] })
  await viewOf(cached, chain)
  await merge({ messages: [users[other[2]!.data.fid - 1]!.removeCast(other[2]!.hash, second + 1)] }, cached)
  statements.length = 0
  await viewOf(cached, chain)
  expect(statements.filter((sql) => sql.includes('social.quotes'))).toEqual([])
})

test('replies that wait for their thread change at once when a cast far above them is removed', async () => {
  const cached = createHydrator(1000)
  const [, above, below] = chainOf(3)
  // More than an arriving cast moves while the start of its thread is missing.
  const replies = Array.from({ length: 201 }, (_, index) =>
    bob.cast(`reply ${index}`, second, { parentCastId: { fid: below!.data.fid, hash: below!.hash } }),
  )
  await merge({ messages: replies }, cached)
  await merge({ messages: [above!] }, cached)
  await merge({ messages: [below!] }, cached)
  const shown = replies.slice(0, 2)
  await viewOf(cached, shown)
  const author = users[above!.data.fid - 1]!
  await merge({ messages: [author.removeCast(above!.hash, second + 1)] }, cached)
  expect(await viewOf(cached, shown)).toEqual(await viewOf(createHydrator(0), shown))
})
