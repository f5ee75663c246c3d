import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { uncachedWriter } from '../../../graph/cache/invalidation.js'
import { projectEvents } from '../../../graph/project/project.js'
import { ensurePartitions } from '../../../hub/log/partitions.js'
import { mergeBatch } from '../../../hub/merge/merge.js'
import type { ChannelDocument } from '../channel-document.js'
import { saveChannel } from '../channels.js'

const { db } = await createTestDatabase()
const { get } = await createTestApi({ db, clock: () => testNowUnix * 1000 })
const [alice, bob] = [new TestUser(1), new TestUser(2)]
/** Fids that are better known than anybody, and that no user has. */
const unregistered = [50, 51, 52]
const gardens = 'https://example.com/gardens'
const oldGardens = 'chain://eip155:1/erc721:0x00'

async function save(document: ChannelDocument): Promise<void> {
  await saveChannel(uncachedWriter(db), document, testNowUnix)
}

interface Listed {
  channels: { id: string; channel?: { id: string } }[]
  next: { cursor: string | null }
}

async function ids(path: string, query: Record<string, string | number>): Promise<string[]> {
  const reply = (await get(path, query)).json<Listed>()
  return reply.channels.map((each) => each.channel?.id ?? each.id)
}

/** Every page of a list, by its cursors. */
async function allIds(path: string, query: Record<string, string | number>): Promise<string[]> {
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const reply: Listed = (await get(path, cursor ? { ...query, cursor } : query)).json()
    found.push(...reply.channels.map((each) => each.channel?.id ?? each.id))
    cursor = reply.next.cursor
  }
  return found
}

beforeAll(async () => {
  await ensurePartitions(db, testNowUnix * 1000)
  await db`insert into hub.shards (shard) values (1)`
  const cast = (user: TestUser, text: string, hoursAgo: number, parentUrl: string) =>
    user.cast(text, testNow - hoursAgo * 3600, { parentUrl })
  const root = cast(alice, 'roses', 1, gardens)
  await mergeBatch(
    db,
    1,
    {
      chainEvents: [...alice.onChain(), ...bob.onChain()],
      nameTransfers: [],
      messages: [
        root,
        bob.cast('and tulips', testNow - 100, { parentCastId: { fid: 1, hash: root.hash } }),
        cast(bob, 'old', 50, oldGardens),
        cast(alice, 'knots', 30, 'https://example.com/sailing'),
        cast(alice, 'long ago', 24 * 20, 'https://example.com/sailing'),
        bob.link(1, testNow),
        ...unregistered.flatMap((fid) => [alice.link(fid, testNow), bob.link(fid, testNow)]),
      ],
    },
    { shards: 1, hooks: [projectEvents] },
    testNowUnix * 1000,
  )
  await save({
    id: 'gardens',
    name: 'Gardens',
    lead_fid: 1,
    parent_url: gardens,
    parent_urls: [oldGardens],
    description: 'for ',
    description_mentions: [2],
    description_mention_positions: [4],
    external_link: { title: 'Home', url: 'https://example.com' },
    members: [{ fid: 2, role: 'moderator', member_since: 1 }],
    followers: [
      { fid: 1, followed_at: 10 },
      { fid: 2, followed_at: 20 },
    ],
  })
  await save({ id: 'sailing', lead_fid: 2, parent_url: 'https://example.com/sailing', follower_count: 9 })
  await save({ id: 'green-garden', lead_fid: 2 })
})

describe('channel', () => {
  it('is found by its id and any parent URL, with all members', async () => {
    const { channel } = (await get('channel', { id: 'gardens', viewer_fid: 2 })).json()
    expect(channel).toMatchObject({
      id: 'gardens',
      name: 'Gardens',
      description: 'for @!2',
      parent_url: gardens,
      follower_count: 2,
      member_count: 2,
      lead: { fid: 1 },
      moderator_fids: [2],
      external_link: { title: 'Home' },
      viewer_context: { following: true, role: 'moderator' },
    })
    for (const id of [gardens, oldGardens]) {
      expect((await get('channel', { id, type: 'parent_url' })).json().channel.id).toBe('gardens')
    }
  })

  it('unknown -> 404; in a bulk request, left out', async () => {
    expect((await get('channel', { id: 'nothing' })).statusCode).toBe(404)
    expect((await get('channel', { id: gardens })).statusCode).toBe(404)
    expect(await ids('channel/bulk', { ids: 'sailing, nothing,gardens' })).toEqual(['sailing', 'gardens'])
    expect(await ids('channel/bulk', { ids: oldGardens, type: 'parent_url' })).toEqual(['gardens'])
    const urls = `${gardens},https://example.com/sailing,${oldGardens}`
    expect(await ids('channel/bulk', { ids: urls, type: 'parent_url' })).toEqual(['gardens', 'sailing'])
  })

  it('a parent URL belongs to one channel', async () => {
    const thief = { id: 'thief', lead_fid: 2, parent_url: gardens }
    await expect(saveChannel(uncachedWriter(db), thief, testNowUnix)).rejects.toMatchObject({
      code: 'conflict',
      message: `${gardens} belongs to another channel`,
    })
    expect((await get('channel', { id: 'thief' })).statusCode).toBe(404)
  })
})

describe('lists of channels', () => {
  it('list: all channels, most followers first, in pages', async () => {
    expect(await allIds('channel/list', { limit: 1 })).toEqual(['sailing', 'gardens', 'green-garden'])
    expect(await ids('channel/list', { limit: 2 })).toEqual(['sailing', 'gardens'])
  })

  it.each([
    ['channel/list', {}],
    ['channel/trending', {}],
    ['channel/user', { fid: 1 }],
    ['user/channels', { fid: 2 }],
  ])('%s shows whether the viewer follows a channel, if there is a viewer', async (path, query) => {
    const gardensOf = async (more: object) => {
      const { channels } = (await get(path, { ...query, ...more })).json<Listed>()
      return channels.map((each) => each.channel ?? each).find(({ id }) => id === 'gardens')
    }
    expect(await gardensOf({ viewer_fid: 2 })).toMatchObject({
      viewer_context: { following: true, role: 'moderator' },
    })
    expect(await gardensOf({})).not.toHaveProperty('viewer_context')
  })

  it('search: matches part of id or name, prefixes first', async () => {
    expect(await ids('channel/search', { q: 'GARDEN' })).toEqual(['gardens', 'green-garden'])
    expect(await allIds('channel/search', { q: 'garden', limit: 1 })).toEqual(['gardens', 'green-garden'])
    expect(await ids('channel/search', { q: ' garden ' })).toEqual(['gardens', 'green-garden'])
    expect(await ids('channel/search', { q: ' ' })).toEqual([])
    expect(await ids('channel/search', { q: '%' })).toEqual([])
    expect(await ids('channel/search', { q: '🎈' })).toEqual([])
    expect(await ids('channel/search', { q: 'garden'.repeat(170) })).toEqual([])
  })

  it('user: channels that a user has cast in, by any URL', async () => {
    expect(await allIds('channel/user', { fid: 2, limit: 1 })).toEqual(['gardens'])
    expect(await allIds('channel/user', { fid: 1, limit: 1 })).toEqual(['gardens', 'sailing'])
    expect(await ids('channel/user', { fid: 99 })).toEqual([])
  })

  it('trending: counts of each window as strings, with replies and all URLs', async () => {
    const counts = async (query: Record<string, string>) =>
      (await get('channel/trending', query))
        .json<{ channels: Record<string, string>[] }>()
        .channels.map((each) => [each.cast_count_1d, each.cast_count_7d, each.cast_count_30d])
    expect(await ids('channel/trending', {})).toEqual(['gardens'])
    expect(await ids('channel/trending', { time_window: '30d' })).toEqual(['gardens', 'sailing'])
    expect(await counts({ time_window: '30d' })).toEqual([
      ['2', '3', '3'],
      ['0', '1', '2'],
    ])
    expect(await allIds('channel/trending', { time_window: '30d', limit: 1 })).toEqual(['gardens', 'sailing'])
  })
})

describe('followers of a channel', () => {
  it('are listed newest first, without users hidden from the viewer', async () => {
    const fids = async (query: Record<string, string | number>) =>
      (await get('channel/followers', query)).json<{ users: { fid: number }[] }>().users.map(({ fid }) => fid)
    expect(await fids({ id: 'gardens' })).toEqual([2, 1])
    const first = (await get('channel/followers', { id: 'gardens', limit: 1 })).json()
    expect(await fids({ id: 'gardens', limit: 1, cursor: first.next.cursor })).toEqual([1])
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (1, 2, 1)`
    expect(await fids({ id: 'gardens', viewer_fid: 1 })).toEqual([1])
    expect((await get('channel/followers', { id: 'nothing' })).statusCode).toBe(404)
  })

  it('that no user has take no place', async () => {
    const followers = [1, ...unregistered].map((fid) => ({ fid, followed_at: fid }))
    await save({ id: 'harbour', lead_fid: 2, followers })
    const page = (await get('channel/followers', { id: 'harbour', limit: 2 })).json()
    expect([page.users.map(({ fid }: { fid: number }) => fid), page.next.cursor]).toEqual([[1], null])
    const reply = (await get('channel/followers/relevant', { id: 'harbour', viewer_fid: 2 })).json()
    expect(reply.top_relevant_followers_hydrated).toMatchObject([{ user: { fid: 1 } }])
  })

  it('relevant: those whom the viewer follows', async () => {
    const reply = (await get('channel/followers/relevant', { id: 'gardens', viewer_fid: 2 })).json()
    expect(
      reply.top_relevant_followers_hydrated.map((each: { user: { fid: number } }) => each.user.fid),
    ).toEqual([1])
    expect(reply.all_relevant_followers_dehydrated).toHaveLength(1)
    const ofNobody = await get('channel/followers/relevant', { id: 'gardens', viewer_fid: 99 })
    expect(ofNobody.json()).toEqual({
      top_relevant_followers_hydrated: [],
      all_relevant_followers_dehydrated: [],
    })
    const unknown = await get('channel/followers/relevant', { id: 'nothing', viewer_fid: 2 })
    expect([unknown.statusCode, unknown.json().property]).toEqual([404, 'id'])
  })
})

it.each([
  ['channel', {}, 'id'],
  ['channel', { id: 'x', type: 'url' }, 'type'],
  ['channel/bulk', { ids: Array.from({ length: 101 }, (_, n) => `c${n}`).join(',') }, 'ids'],
  ['channel/list', { limit: 201 }, 'limit'],
  ['channel/list', { cursor: 'nonsense' }, 'cursor'],
  ['channel/search', { q: '' }, 'q'],
  ['channel/search', { q: 'x'.repeat(1_025) }, 'q'],
  ['channel/trending', { time_window: '2d' }, 'time_window'],
  ['channel/trending', { limit: 26 }, 'limit'],
  ['channel/followers', { id: 'gardens', limit: 1001 }, 'limit'],
  ['channel/followers/relevant', { id: 'gardens' }, 'viewer_fid'],
])('%s refuses %j and names %s', async (path, query, property) => {
  const reply = await get(path, query as Record<string, string>)
  expect([reply.statusCode, reply.json().property]).toEqual([400, property])
})
