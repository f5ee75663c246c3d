import { beforeAll, describe, expect, it } from 'vitest'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { readBestFriends } from '../../../graph/query/users-affinity.js'
import { ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { openPeople } from './testing/user-network.js'

const { db, get, merge, countStatements } = await openPeople()
const people = [1, 2, 3, 4].map((fid) => new TestUser(fid))
const [alice, bob, carol, dan] = people as [TestUser, TestUser, TestUser, TestUser]

const hex = ({ hash }: SignedMessage) => `0x${hash.toString('hex')}`
const timestampText = (ts: number) => new Date((testNowUnix - testNow + ts) * 1000).toISOString()
const answer = (author: TestUser, cast: SignedMessage, ts: number) =>
  author.cast('yes', ts, { parentCastId: { fid: cast.data.fid, hash: cast.hash } })
const recast = { type: ReactionType.RECAST }

const byAlice = alice.cast('alice speaks', testNow - 1_000)
const byBob = bob.cast('bob speaks', testNow - 900)
const byCarol = carol.cast('carol speaks', testNow - 800)
const old = alice.cast('long ago', testNow - 91 * 86_400)
/** It names bob as the author of what alice said, and so answers nobody. */
const spoofedReaction = carol.cast('no', testNow - 750, { parentCastId: { fid: 2, hash: byAlice.hash } })
const reply = answer(bob, byAlice, testNow - 700)
const mention = alice.cast('hi ', testNow - 600, { mentions: [2], mentionsPositions: [3] })
const quote = bob.cast('see', testNow - 500, { embeds: [{ castId: { fid: 1, hash: byAlice.hash } }] })

beforeAll(async () => {
  await merge({ chainEvents: people.flatMap((each) => each.onChain({ units: 5 })) })
  await merge({ messages: [byAlice, byBob, byCarol, old, mention, spoofedReaction] })
  await merge({
    messages: [
      ...[reply, quote, answer(alice, byCarol, testNow - 650), answer(alice, byAlice, testNow - 640)],
      alice.react(byBob, testNow - 400),
      bob.react(byAlice, testNow - 300, recast),
      carol.react(byAlice, testNow - 200),
      carol.react(old, testNow - 100, recast),
      dan.react(byAlice, testNow - 100),
      alice.link(2, testNow - 50),
      bob.link(1, testNow - 40, { type: 'block' }),
    ],
  })
})

describe('user/best_friends', () => {
  const friends = async (query: Record<string, string | number>) => {
    const reply = await get('user/best_friends', query)
    expect(reply.statusCode).toBe(200)
    return reply.json()
  }

  it('ranks mutual affinity by the documented formula', async () => {
    // Alice gave bob a like; bob gave a recast and a reply. Alice gave carol a reply; carol gave a like.
    expect(await friends({ fid: 1 })).toEqual({
      users: [
        { fid: 2, username: '!2', mutual_affinity_score: Math.sqrt(1 * 5) },
        { fid: 3, username: '!3', mutual_affinity_score: Math.sqrt(3 * 1) },
      ],
      next: { cursor: null },
    })
    expect((await friends({ fid: 2 })).users).toMatchObject([{ fid: 1, mutual_affinity_score: Math.sqrt(5) }])
    expect((await friends({ fid: 4 })).users).toEqual([])
  })

  it('chooses the best for a viewer among those whom it sees', async () => {
    const query = { fid: 1, viewerFid: 1, limit: 1, now: testNow }
    expect(await readBestFriends(db, query, null)).toMatchObject([{ fid: 3 }])
  })

  it('pages, with a limit of at most 100', async () => {
    const first = await friends({ fid: 1, limit: 1 })
    expect(first.users.map(({ fid }: { fid: number }) => fid)).toEqual([2])
    const second = await friends({ fid: 1, limit: 1, cursor: first.next.cursor })
    expect(second).toMatchObject({ users: [{ fid: 3 }], next: { cursor: null } })
    const refusal = await get('user/best_friends', { fid: 1, limit: 101 })
    expect(refusal.json()).toMatchObject({
      status: 400,
      errors: [{ code: 'custom', path: ['limit'], message: refusal.json().message }],
    })
    // The list, and whom the app bans, which a server keeps ready.
    expect(await countStatements('user/best_friends', { fid: 1 })).toBe(2)
  })
})

describe('user/interactions', () => {
  const interactions = async (query: Record<string, string>) => {
    const reply = await get('user/interactions', query)
    expect(reply.statusCode).toBe(200)
    return reply.json().interactions
  }

  it('shows interactions of two users, newest first', async () => {
    const found = await interactions({ fids: '1,2' })
    expect(found).toMatchObject([
      {
        type: 'follows',
        most_recent_timestamp: timestampText(testNow - 50),
        count: 1,
        follows: [{ object: 'follower', user: { fid: 1 } }],
      },
      {
        type: 'recasts',
        count: 1,
        cast: { hash: hex(byAlice), text: 'alice speaks' },
        reactions: [
          {
            object: 'recasts',
            user: { fid: 2 },
            cast: { hash: hex(byAlice), author: { fid: 1 }, app: null },
          },
        ],
      },
      { type: 'likes', cast: { hash: hex(byBob) }, reactions: [{ object: 'likes', user: { fid: 1 } }] },
      { type: 'quote', cast: { hash: hex(quote), author: { fid: 2 } } },
      { type: 'mention', cast: { hash: hex(mention), text: 'hi @!2' } },
      { type: 'reply', cast: { hash: hex(reply) }, most_recent_timestamp: timestampText(testNow - 700) },
    ])
    expect(found).toHaveLength(6)
    expect(await interactions({ fids: '2,1' })).toEqual(found)
  })

  it('type -> only these types', async () => {
    const kinds = async (type: string) =>
      (await interactions({ fids: '1,2', type })).map((each: { type: string }) => each.type)
    expect(await kinds('likes')).toEqual(['likes'])
    expect(await kinds('quotes,mentions')).toEqual(['quote', 'mention'])
    expect(await kinds('follows,replies')).toEqual(['follows', 'reply'])
    expect(await interactions({ fids: '2,4' })).toEqual([])
  })

  it('refuses other than two users, and unknown types', async () => {
    for (const query of [{ fids: '1' }, { fids: '1,1' }, { fids: '1,2,3' }, {}, { fids: '1,2', type: 'x' }]) {
      expect((await get('user/interactions', query)).statusCode).toBe(400)
    }
  })

  it('runs at most six statements', async () => {
    expect(await countStatements('user/interactions', { fids: '1,2' })).toBeLessThanOrEqual(6)
    expect(await countStatements('user/interactions', { fids: '1,3' })).toBeLessThanOrEqual(6)
  })
})
