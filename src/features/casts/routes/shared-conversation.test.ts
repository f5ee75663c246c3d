import fc from 'fast-check'
import { expect, it } from 'vitest'
import { testNow } from '../../../../test/network.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { castId, createCastNetwork, prefixedHash, userOf } from './testing/cast-network.js'

const USERS = 5
const { api, cachedApi, merge } = await createCastNetwork(USERS)

type Query = Record<string, string | number | boolean>

/** The conversation of a server that keeps what it has read, twice; it has to be that of one that keeps nothing. */
async function conversationOf(cast: SignedMessage, query: Query = {}) {
  const asked = { identifier: prefixedHash(cast), type: 'hash', ...query }
  const read = async (of: typeof api) => (await of.get('cast/conversation', asked)).json()
  const expected = await read(api)
  for (let times = 1; times <= 2; times += 1) expect(await read(cachedApi)).toEqual(expected)
  return expected
}

it('a hidden reply leaves no gap in the page of its viewer', async () => {
  const [author, hidden, viewer] = [userOf(1), userOf(2), userOf(3)]
  const root = author.cast('root', testNow - 90_000)
  const parentCastId = castId(root)
  const replies = [hidden, author, author].map((user, index) =>
    user.cast(`reply ${index}`, testNow - 89_000 + index, { parentCastId }),
  )
  await merge(root, ...replies)
  const repliesFor = async (query: Query) => {
    const { conversation, next } = await conversationOf(root, { limit: 2, ...query })
    const texts = conversation.cast.direct_replies.map(({ text }: { text: string }) => text)
    return [texts, next.cursor !== null]
  }
  expect(await repliesFor({ viewer_fid: 3 })).toEqual([['reply 0', 'reply 1'], true])
  await merge(viewer.link(2, testNow - 80_000, { type: 'block' }))
  expect(await repliesFor({ viewer_fid: 3 })).toEqual([['reply 1', 'reply 2'], false])
  expect(await repliesFor({ viewer_fid: 1 })).toEqual([['reply 0', 'reply 1'], true])
  expect((await cachedApi.send('POST', 'ban', { fids: [2] })).statusCode).toBe(200)
  expect(await repliesFor({})).toEqual([['reply 1', 'reply 2'], false])
  expect((await cachedApi.send('DELETE', 'ban', { fids: [2] })).statusCode).toBe(200)
})

/** What happens to a thread: by whom, to which of its casts. */
const step = fc.record({
  what: fc.constantFrom('reply', 'reply', 'reply', 'remove', 'like', 'late parent', 'block', 'unblock'),
  by: fc.integer({ min: 1, max: USERS }),
  to: fc.nat(),
})

it('a conversation is the same as without a cache, after any messages', async () => {
  let seconds = testNow - 70_000
  const next = () => {
    seconds += 1
    return seconds
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const casts = [userOf(1).cast('root', next())]
      await merge(casts[0]!)
      for (const { what, by, to } of steps) {
        const user = userOf(by)
        const target = casts[to % casts.length]!
        const reply = () => user.cast(`at ${next()}`, seconds, { parentCastId: castId(target) })
        const messages = {
          reply: () => [reply()],
          remove: () => [userOf(target.data.fid).removeCast(target.hash, next())],
          like: () => [user.react(target, next())],
          'late parent': () => {
            const parent = reply()
            return [userOf(1).cast(`early ${next()}`, seconds, { parentCastId: castId(parent) }), parent]
          },
          block: () => [user.link((by % USERS) + 1, next(), { type: 'block' })],
          unblock: () => [user.link((by % USERS) + 1, next(), { type: 'block', remove: true })],
        }[what]()
        for (const message of messages) {
          if (message.data.castAddBody) casts.push(message)
          await conversationOf(target, { reply_depth: 3, viewer_fid: by })
          await merge(message)
          const asked = casts.slice(-3)
          for (const cast of [casts[0]!, target, ...asked])
            await conversationOf(cast, { viewer_fid: by, include_chronological_parent_casts: true, limit: 2 })
          await conversationOf(target, { reply_depth: 3, viewer_fid: by })
          await conversationOf(casts[0]!, { sort_type: 'desc_chron', limit: 1 })
        }
      }
    }),
    { numRuns: 5 },
  )
})
