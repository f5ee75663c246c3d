import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { openHubApi } from '../../../../test/hub-api.js'
import { TestUser, testNow } from '../../../../test/network.js'
import { MessageType, ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'

const { db } = await createTestDatabase()
const api = await openHubApi(db)
const [alice, bob] = [new TestUser(1), new TestUser(2)]

const casts = [0, 1, 2].map((n) => alice.cast(`cast ${n}`, testNow - 100 + n))
const reply = bob.cast('a reply', testNow - 50, {
  parentCastId: { fid: 1, hash: casts[0]!.hash },
  mentions: [1, 7],
  mentionsPositions: [0, 0],
})
const inChannel = bob.cast('in a channel', testNow - 49, { parentUrl: 'https://example.com/?a=b c+d' })
const removed = alice.cast('gone', testNow - 48)
const removal = alice.removeCast(removed.hash, testNow - 47)
const like = bob.react(casts[0]!, testNow - 40)
const recast = bob.react(casts[0]!, testNow - 39, { type: ReactionType.RECAST })
const unlike = bob.react(casts[1]!, testNow - 38, { remove: true })
const likeOfUrl = alice.message(
  {
    type: MessageType.REACTION_ADD,
    reactionBody: { type: ReactionType.LIKE, targetUrl: 'https://example.com/x' },
  },
  testNow - 37,
)
const follow = alice.link(2, testNow - 30)
const block = alice.link(3, testNow - 29, { type: 'block' })
const unfollow = alice.link(4, testNow - 28, { remove: true })

beforeAll(async () => {
  await api.hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])
  const all = [
    ...casts,
    reply,
    inChannel,
    removed,
    removal,
    like,
    recast,
    unlike,
    likeOfUrl,
    follow,
    block,
    unfollow,
  ]
  const outcomes = await api.hub.submit(all)
  expect(outcomes.filter((outcome) => outcome && outcome.code !== 'bad_request.conflict')).toEqual([])
})

function hex(message: SignedMessage): string {
  return `0x${message.hash.toString('hex')}`
}

/** The hashes of a list, in order. */
async function list(path: string): Promise<string[]> {
  const { status, body, text } = await api.get(path)
  expect([status, body?.nextPageToken], text).toEqual([200, ''])
  return body.messages.map((message: { hash: string }) => message.hash)
}

async function one(path: string): Promise<string> {
  const { status, body, text } = await api.get(path)
  expect(status, text).toBe(200)
  return body.hash
}

async function missing(path: string): Promise<string> {
  const { status, body } = await api.get(path)
  expect([status, body.errCode, body.metadata.errcode]).toEqual([404, 'not_found', ['not_found']])
  return body.details
}

describe('casts', () => {
  test('are found by id until they are removed', async () => {
    expect(await one(`/v1/castById?fid=1&hash=${hex(casts[1]!)}`)).toBe(hex(casts[1]!))
    expect(await one(`/v1/castById?fid=1&hash=${hex(casts[1]!).slice(2)}`)).toBe(hex(casts[1]!))
    expect(await missing(`/v1/castById?fid=1&hash=${hex(removed)}`)).toBe('cast not found')
    expect(await missing(`/v1/castById?fid=2&hash=${hex(casts[1]!)}`)).toBe('cast not found')
  })

  test('are listed by user with removals, in the order of time, between two times', async () => {
    const all = [...casts, removal].map(hex)
    expect(await list('/v1/castsByFid?fid=1')).toEqual(all)
    expect(await list('/v1/castsByFid?fid=1&reverse=1')).toEqual([...all].reverse())
    const [first, second] = [testNow - 100, testNow - 99]
    expect(await list(`/v1/castsByFid?fid=1&start_timestamp=${first}&stopTimestamp=${second}`)).toEqual(
      all.slice(0, 2),
    )
    expect(await list(`/v1/castsByFid?fid=1&startTimestamp=${second}`)).toEqual(all.slice(1))
    expect(await list('/v1/castsByFid?fid=99')).toEqual([])
  })

  test('are listed by parent (cast or URL) and by mention', async () => {
    expect(await list(`/v1/castsByParent?fid=1&hash=${hex(casts[0]!)}`)).toEqual([hex(reply)])
    const url = encodeURIComponent('https://example.com/?a=b c+d')
    expect(await list(`/v1/castsByParent?url=${url}`)).toEqual([hex(inChannel)])
    expect(await list('/v1/castsByMention?fid=7')).toEqual([hex(reply)])
    expect(await list('/v1/castsByMention?fid=8')).toEqual([])
  })
})

describe('reactions', () => {
  test('are found by target, with every spelling of the type', async () => {
    const target = `target_fid=1&target_hash=${hex(casts[0]!)}`
    for (const type of ['Like', 'REACTION_TYPE_LIKE', '1']) {
      expect(await one(`/v1/reactionById?fid=2&reaction_type=${type}&${target}`)).toBe(hex(like))
    }
    const url = 'target_url=https://example.com/x'
    expect(await one(`/v1/reactionById?fid=1&reaction_type=Like&${url}`)).toBe(hex(likeOfUrl))
    const taken = `target_fid=1&target_hash=${hex(casts[1]!)}`
    expect(await missing(`/v1/reactionById?fid=2&reaction_type=Like&${taken}`)).toBe('cast not found')
  })

  test('are listed by user until they are removed', async () => {
    expect(await list('/v1/reactionsByFid?fid=2&reaction_type=Like')).toEqual([hex(like)])
    expect(await list('/v1/reactionsByFid?fid=2&reaction_type=Recast')).toEqual([hex(recast)])
    expect(await list('/v1/reactionsByFid?fid=2&reaction_type=None')).toEqual([hex(like), hex(recast)])
  })

  test('are listed by cast and by URL, of one type or all', async () => {
    const target = `target_fid=1&target_hash=${hex(casts[0]!)}`
    expect(await list(`/v1/reactionsByCast?${target}`)).toEqual([hex(like), hex(recast)])
    expect(await list(`/v1/reactionsByCast?${target}&reverse=true`)).toEqual([hex(recast), hex(like)])
    expect(await list(`/v1/reactionsByCast?${target}&reaction_type=2`)).toEqual([hex(recast)])
    expect(await list('/v1/reactionsByTarget?url=https://example.com/x')).toEqual([hex(likeOfUrl)])
  })
})

describe('links', () => {
  test('are found by id, and listed by user and target', async () => {
    expect(await one('/v1/linkById?fid=1&target_fid=2&link_type=follow')).toBe(hex(follow))
    expect(await missing('/v1/linkById?fid=1&target_fid=4&link_type=follow')).toBe('cast not found')
    expect(await list('/v1/linksByFid?fid=1')).toEqual([hex(follow), hex(block)])
    expect(await list('/v1/linksByFid?fid=1&link_type=block')).toEqual([hex(block)])
    expect(await list('/v1/linksByFid?fid=1&link_type=blo')).toEqual([])
    expect(await list('/v1/linksByTargetFid?target_fid=2&link_type=follow')).toEqual([hex(follow)])
  })
})
