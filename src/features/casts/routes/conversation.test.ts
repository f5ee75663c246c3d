import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testNow } from '../../../../test/network.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { castId, createCastNetwork, prefixedHash, userOf } from './testing/cast-network.js'

const { ask, api, merge, pages, countStatements, db } = await createCastNetwork()
const [alice, bob, carol, dave] = [userOf(1), userOf(2), userOf(3), userOf(4)]

interface Thread {
  hash: string
  text: string
  direct_replies: Thread[]
}
type Query = Record<string, string | number | boolean>

const replyTo = (parent: SignedMessage, user: typeof alice, text: string, secondsAgo: number) =>
  user.cast(text, testNow - secondsAgo, { parentCastId: castId(parent) })

const root = alice.cast('root', testNow - 1000)
const a = replyTo(root, bob, 'a', 900)
const b = replyTo(root, carol, 'b', 800)
const c = replyTo(root, dave, 'c', 700)
const a1 = replyTo(a, alice, 'a1', 600)
const a2 = replyTo(a, carol, 'a2', 500)
const a11 = replyTo(a1, bob, 'a11', 400)
const a111 = replyTo(a11, bob, 'a111', 300)
await merge(root, a, b, c, a1, a2, a11, a111)
await merge(bob.react(c, testNow), carol.react(c, testNow), carol.react(a, testNow))

const outline = ({ text, direct_replies }: Thread): unknown =>
  direct_replies.length === 0 ? text : [text, ...direct_replies.map(outline)]

async function conversation(query: Query) {
  const reply = await ask('cast/conversation', { identifier: prefixedHash(root), type: 'hash', ...query })
  const { cast, chronological_parent_casts } = reply.conversation as {
    cast: Thread
    chronological_parent_casts?: { text: string }[]
  }
  return {
    outline: outline(cast),
    above: chronological_parent_casts?.map(({ text }) => text),
    next: reply.next.cursor,
  }
}

describe('a conversation', () => {
  test.each([
    [{}, ['root', ['a', 'a1', 'a2'], 'b', 'c']],
    [{ reply_depth: 0 }, 'root'],
    [{ reply_depth: 1 }, ['root', 'a', 'b', 'c']],
    [{ reply_depth: 5 }, ['root', ['a', ['a1', ['a11', 'a111']], 'a2'], 'b', 'c']],
    [{ sort_type: 'desc_chron' }, ['root', 'c', 'b', ['a', 'a2', 'a1']]],
    [{ sort_type: 'algorithmic' }, ['root', ['a', 'a1', 'a2'], 'c', 'b']],
    [
      { identifier: `https://farcaster.xyz/bob/${prefixedHash(a).slice(0, 10)}`, type: 'url' },
      ['a', ['a1', 'a11'], 'a2'],
    ],
  ])('%j', async (query, expected) => {
    expect(await conversation(query)).toEqual({ outline: expected, above: undefined, next: null })
  })

  test('shows the ancestors of the cast, oldest first', async () => {
    const query = { identifier: prefixedHash(a11), include_chronological_parent_casts: true }
    expect(await conversation(query)).toEqual({
      outline: ['a11', 'a111'],
      above: ['root', 'a', 'a1'],
      next: null,
    })
    expect((await conversation({ include_chronological_parent_casts: true })).above).toEqual([])
  })

  test('folds replies by the score of their author', async () => {
    await db`update social.users set score = case fid when 3 then 0.1 else 0.9 end`
    expect((await conversation({ fold: 'above' })).outline).toEqual(['root', ['a', 'a1'], 'c'])
    expect((await conversation({ fold: 'below' })).outline).toEqual(['root', 'b'])
    expect((await conversation({})).outline).toEqual(['root', ['a', 'a1', 'a2'], 'b', 'c'])
    await db`update social.users set score = case fid when 1 then 0.1 else 0.9 end`
    expect((await conversation({ fold: 'above' })).outline).toEqual(['root', ['a', 'a1', 'a2'], 'b', 'c'])
    await db`update social.users set score = case fid when 3 then 0.1 else 0.9 end`
    await merge(userOf(5).link(3, testNow))
    expect((await conversation({ fold: 'below', viewer_fid: 5 })).outline).toEqual('root')
  })

  test('leaves out replies of blocked users and everything below them', async () => {
    await merge(userOf(6).link(2, testNow, { type: 'block' }))
    expect((await conversation({ viewer_fid: 6, reply_depth: 5 })).outline).toEqual(['root', 'b', 'c'])
  })

  test('leaves out ancestors by users who are hidden, and shows those above them', async () => {
    const query = { identifier: prefixedHash(a111), include_chronological_parent_casts: true }
    expect((await conversation({ ...query, viewer_fid: 5 })).above).toEqual(['root', 'a', 'a1', 'a11'])
    // The cast itself is shown, though its author is blocked.
    expect(await conversation({ ...query, viewer_fid: 6 })).toMatchObject({
      outline: 'a111',
      above: ['root', 'a1'],
    })
    await db`insert into moderation.bans (app_id, fid, banned_at) values (${api.appId}, 1, 1)`
    expect((await conversation(query)).above).toEqual(['a', 'a11'])
    expect((await conversation({ ...query, viewer_fid: 6 })).above).toEqual([])
    await db`delete from moderation.bans`
  })

  test.each(['chron', 'desc_chron', 'algorithmic'])('is paged by direct replies: %s', async (sort_type) => {
    const whole = (await conversation({ sort_type, reply_depth: 1 })).outline as string[]
    const seen: unknown[] = []
    let cursor: string | null = null
    do {
      const query: Query = { sort_type, limit: 1, reply_depth: 5, ...(cursor === null ? {} : { cursor }) }
      const page = await conversation(query)
      seen.push(...(page.outline as unknown[]).slice(1).map((each) => (Array.isArray(each) ? each[0] : each)))
      cursor = page.next
    } while (cursor !== null)
    expect(seen).toEqual(whole.slice(1))
  })

  test('two hundred replies -> at most six statements', async () => {
    const conversationReply = alice.cast('talk', testNow - 90)
    const answers = Array.from({ length: 200 }, (_, n) =>
      replyTo(conversationReply, userOf(1 + (n % 6)), `answer ${n}`, 80 - (n % 50)),
    )
    await merge(conversationReply, ...answers)
    const query = { identifier: prefixedHash(conversationReply), type: 'hash', limit: 50, viewer_fid: 5 }
    expect(await countStatements('cast/conversation', query)).toBeLessThanOrEqual(6)
    const full = {
      ...query,
      include_chronological_parent_casts: true,
      sort_type: 'algorithmic',
      fold: 'above',
    }
    expect(await countStatements('cast/conversation', full)).toBeLessThanOrEqual(6)
  })
})

test('paging while replies arrive -> nothing lost, nothing repeated', async () => {
  let serial = 0
  const sizes = fc.record({
    before: fc.array(fc.integer({ min: 20, max: 25 }), { minLength: 1, maxLength: 9 }),
    meanwhile: fc.array(fc.integer({ min: 18, max: 27 }), { maxLength: 4 }),
    limit: fc.integer({ min: 1, max: 4 }),
    order: fc.constantFrom('chron', 'desc_chron'),
  })
  await fc.assert(
    fc.asyncProperty(sizes, async ({ before, meanwhile, limit, order }) => {
      const start = alice.cast(`start ${serial++}`, testNow - 50)
      const early = before.map((ago) => replyTo(start, bob, `early ${serial++}`, ago))
      const late = meanwhile.map((ago) => replyTo(start, carol, `late ${serial++}`, ago))
      await merge(start, ...early)
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const query: Query = {
          identifier: prefixedHash(start),
          sort_type: order,
          limit,
          ...(cursor === null ? {} : { cursor }),
        }
        const page = await conversation(query)
        if (Array.isArray(page.outline)) seen.push(...(page.outline.slice(1) as string[]))
        if (cursor === null) await merge(...late, bob.removeCast(early[0]!.hash, testNow))
        cursor = page.next
      } while (cursor !== null)
      expect(new Set(seen).size).toBe(seen.length)
      for (const { data } of early.slice(1)) expect(seen).toContain(data.castAddBody!.text)
    }),
    { numRuns: 15 },
  )
})

test('quotes: casts that embed the cast with its author, newest first', async () => {
  const quotes = [bob, carol, dave].map((user, n) =>
    user.cast(`quote ${n}`, testNow - 100 + n, { embeds: [{ castId: castId(root) }] }),
  )
  const spoofedReply = bob.cast('liar', testNow - 90, { embeds: [{ castId: { fid: 4, hash: root.hash } }] })
  await merge(...quotes, spoofedReply)
  const query = { identifier: prefixedHash(root), type: 'hash' }
  expect((await ask('cast/quotes', query)).casts.map(({ text }) => text)).toEqual([
    'quote 2',
    'quote 1',
    'quote 0',
  ])
  const expected = quotes.map(prefixedHash).reverse()
  expect((await pages('cast/quotes', { ...query, limit: 2 })).flat()).toEqual(expected)
  const hidden = await ask('cast/quotes', { ...query, viewer_fid: 6 })
  expect(hidden.casts.map(({ text }) => text)).toEqual(['quote 2', 'quote 1'])
  expect(await countStatements('cast/quotes', { ...query, viewer_fid: 6 })).toBeLessThanOrEqual(6)
  const withoutQuotes = { identifier: prefixedHash(c), type: 'hash' }
  expect(await ask('cast/quotes', withoutQuotes)).toEqual({ casts: [], next: { cursor: null } })
})

test.each(['cast/quotes', 'cast/conversation'])(
  '%s refuses what is none and does not find what is not here',
  async (path) => {
    expect((await api.get(path, { identifier: 'x', type: 'hash' })).json()).toMatchObject({
      status: 400,
      property: 'identifier',
    })
    expect((await api.get(path, { identifier: '00'.repeat(20), type: 'hash' })).statusCode).toBe(404)
    const tooLarge = await api.get('cast/conversation', {
      identifier: '00'.repeat(20),
      type: 'hash',
      reply_depth: 6,
    })
    expect(tooLarge.json()).toMatchObject({ status: 400, property: 'reply_depth' })
  },
)
