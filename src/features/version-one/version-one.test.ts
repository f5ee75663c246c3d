import { Value } from '@sinclair/typebox/value'
import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createScene } from '../../../test/house/scene.js'
import { createTestHub } from '../../../test/hub.js'
import { testNowUnix } from '../../../test/network.js'
import { createTestApi } from '../../app/testing/test-api.js'
import { versionOneOperations } from './operations.js'
import { readReactionHashes } from './queries.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const { app, key, appId } = await createTestApi({ db, hub, clock: () => testNowUnix * 1000 })
let scene: Awaited<ReturnType<typeof createScene>>

beforeAll(async () => {
  scene = await createScene({ db, hub, appId })
})

type Query = Readonly<Record<string, string | number>>

/** Asks as SDK 1.x does, and checks the reply against the schema of the operation. */
async function ask(path: string, query: Query = {}, headers: Record<string, string> = { api_key: key }) {
  const text = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const reply = await app.inject({ url: `/v1/farcaster/${path}`, query: text, headers })
  const body = reply.json()
  const operation = versionOneOperations.find((each) => each.path === path)
  if (reply.statusCode === 200) expect([...Value.Errors(operation!.reply, body)]).toEqual([])
  return { status: reply.statusCode, body, result: body.result }
}

const fidsIn = (users: { fid: number }[]) => users.map(({ fid }) => fid)

describe('users', () => {
  it('are found by fid, name and address, with the viewer’s relations', async () => {
    const { result } = await ask('user', { fid: 1, viewerFid: 2 })
    expect(result.user).toMatchObject({
      fid: 1,
      username: 'alice',
      custodyAddress: `0x${scene.alice.custody.toString('hex')}`,
      pfp: { url: '' },
      profile: { bio: { text: '', mentionedProfiles: [] } },
      followerCount: 2,
      followingCount: 2,
      activeStatus: 'active',
      viewerContext: { following: true, followedBy: true },
    })
    const address = `0x${scene.alice.custody.toString('hex')}`
    const { viewerContext: _, ...alice } = result.user
    expect((await ask('user-by-username', { username: 'Alice' })).result).toEqual({ user: alice })
    expect((await ask('user-by-verification', { address })).result).toEqual({ user: alice })
    expect((await ask('custody-address', { fid: 1 })).result).toEqual({ fid: 1, custodyAddress: address })
    expect((await ask('verifications', { fid: 1 })).result).toEqual({
      fid: '1',
      username: 'alice',
      display_name: '',
      verifications: expect.arrayContaining([address]),
    })
  })

  it.each([
    ['user', { fid: 400 }, 'fid'],
    ['user-by-username', { username: 'nobody' }, 'username'],
    ['user-by-verification', { address: `0x${'00'.repeat(20)}` }, 'address'],
    ['cast', { hash: `0x${'00'.repeat(20)}` }, 'hash'],
  ])('unknown in %s -> 404 that names the parameter', async (path, query, property) => {
    expect((await ask(path, query as Query)).body).toMatchObject({ status: 404, code: 'NotFound', property })
  })

  it('are listed, latest registered first, in pages', async () => {
    const first = (await ask('recent-users', { limit: 2 })).result
    const second = (await ask('recent-users', { limit: 2, cursor: first.next.cursor })).result
    const all = (await ask('recent-users')).result
    expect(fidsIn([...first.users, ...second.users])).toEqual(fidsIn(all.users).slice(0, 4))
    expect(fidsIn(all.users)).toEqual(fidsIn(all.users).toSorted((a, b) => b - a))
    expect(fidsIn(all.users)).toEqual(expect.arrayContaining([1, 2, 3, 4]))
  })

  it('who follow and are followed have the time of the follow', async () => {
    const timestamp = new Date((testNowUnix - 3_000) * 1000).toISOString()
    const { users, next } = (await ask('followers', { fid: 1, limit: 1 })).result
    expect(users).toMatchObject([{ fid: 3, timestamp }])
    const rest = (await ask('followers', { fid: 1, cursor: next.cursor })).result
    expect([fidsIn(rest.users), rest.next]).toEqual([[2], { cursor: null }])
    expect(fidsIn((await ask('following', { fid: 1 })).result.users)).toEqual([3, 2])
  })
})

describe('casts', () => {
  it('have their reactors, and what the viewer did', async () => {
    const { cast } = (await ask('cast', { hash: scene.castHash, viewerFid: 2 })).result
    expect(cast).toMatchObject({
      hash: scene.castHash,
      parentHash: null,
      parentUrl: scene.channelUrl,
      threadHash: scene.castHash,
      parentAuthor: { fid: null },
      author: { fid: 1, username: 'alice' },
      mentionedProfiles: [{ fid: 3 }],
      text: 'look at this, @carol in the garden',
      embeds: [{ url: 'https://example.com/page' }],
      reactions: { count: 2, fids: [3, 2], fnames: ['carol', 'bob'] },
      recasts: { count: 2, fids: [3, 2] },
      recasters: ['carol', 'bob'],
      replies: { count: 2 },
      viewerContext: { following: true, followedBy: true, liked: true, recasted: true },
    })
    expect(cast).not.toHaveProperty('type')
  })

  it('are listed by author, by thread and by time', async () => {
    const textsOf = (casts: { text: string }[]) => casts.map(({ text }) => text)
    const byBob = (await ask('casts', { fid: 2, limit: 2 })).result
    expect(textsOf(byBob.casts)).toEqual(['more of it', 'an answer'])
    const older = (await ask('casts', { fid: 2, cursor: byBob.next.cursor })).result
    expect([textsOf(older.casts), older.next]).toEqual([['the first word'], { cursor: null }])
    expect((await ask('casts', { fid: 1, parent_url: scene.channelUrl })).result.casts).toHaveLength(1)
    expect((await ask('casts', { fid: 1, parent_url: 'https://elsewhere.test' })).result.casts).toEqual([])
    const thread = (await ask('all-casts-in-thread', { threadHash: scene.castHash })).result
    expect(textsOf(thread.casts)).toEqual([
      'look at this, @carol in the garden',
      'an answer',
      'another answer',
    ])
    const recent = (await ask('recent-casts', { limit: 3 })).result
    expect(textsOf(recent.casts)).toEqual(['another answer', 'more of it', 'an answer'])
    const next = (await ask('recent-casts', { cursor: recent.next.cursor })).result
    expect(textsOf(next.casts).at(-1)).toBe('the first word')
  })

  it('of users whom the viewer mutes are left out of lists', async () => {
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (4, 2, 1)`
    const recent = (await ask('recent-casts', { viewerFid: 4 })).result
    expect(recent.casts.some(({ author }: { author: { fid: number } }) => author.fid === 2)).toBe(false)
  })
})

describe('reactions', () => {
  it('have the hash of their message, and pages', async () => {
    const { likes, next } = (await ask('cast-likes', { castHash: scene.castHash, limit: 1 })).result
    const cast = { castFid: 1, castHash: scene.castHash.slice(2) }
    const [messageHash] = await readReactionHashes(db, [{ fid: 3, type: 1, ...cast }])
    expect(messageHash).toMatch(/^[0-9a-f]{40}$/)
    expect(likes).toMatchObject([
      {
        type: 'like',
        hash: `0x${messageHash}`,
        castHash: scene.castHash,
        reactor: { fid: 3, username: 'carol' },
      },
    ])
    const rest = (await ask('cast-likes', { castHash: scene.castHash, cursor: next.cursor })).result
    expect(rest).toMatchObject({ likes: [{ reactor: { fid: 2 } }], next: { cursor: null } })
    const { casts } = (await ask('cast-reactions', { castHash: scene.castHash })).result
    expect(casts.map(({ type }: { type: string }) => type)).toEqual(['recast', 'recast', 'like', 'like'])
    const { users } = (await ask('cast-recasters', { castHash: scene.castHash })).result
    const timestamp = new Date((testNowUnix - 500) * 1000).toISOString()
    expect(users).toMatchObject([
      { fid: 3, profile: { bio: { text: '', mentions: [] } }, timestamp },
      { fid: 2, timestamp },
    ])
  })

  it('of a user come with the casts', async () => {
    const { reactor, likes } = (await ask('user-cast-likes', { fid: 2 })).result
    expect(reactor.fid).toBe(2)
    expect(likes).toMatchObject([
      {
        reaction: { reactor_fid: 2, reaction_type: 'like', reaction_target_hash: scene.castHash },
        cast: { cast_fid: 1, cast_hash: scene.castHash, cast_embeds: [{ url: 'https://example.com/page' }] },
        cast_author: { fid: 1 },
      },
    ])
  })
})

describe('notifications', () => {
  it('are replies and mentions as casts', async () => {
    const { notifications, next } = (await ask('mentions-and-replies', { fid: 1, limit: 1 })).result
    expect(notifications).toMatchObject([{ type: 'cast-reply', author: { fid: 3 }, text: 'another answer' }])
    const rest = (await ask('mentions-and-replies', { fid: 1, cursor: next.cursor })).result
    expect(rest).toMatchObject({ notifications: [{ author: { fid: 2 } }], next: { cursor: null } })
    expect((await ask('mentions-and-replies', { fid: 3 })).result.notifications).toMatchObject([
      { type: 'cast-mention', hash: scene.castHash },
    ])
  })

  it('are without users hidden from another viewer', async () => {
    await db`insert into moderation.mutes values (2, 3, ${testNowUnix})`
    const query = { fid: 1, viewerFid: 2 }
    const { notifications } = (await ask('mentions-and-replies', query)).result
    expect(notifications).toMatchObject([{ author: { fid: 2 } }])
    const reactions = (await ask('reactions-and-recasts', query)).result.notifications
    expect(reactions).toMatchObject([{ reactors: [{ fid: 2 }] }, { reactors: [{ fid: 2 }] }])
    // What is named is shown.
    expect((await ask('user', { fid: 3, viewerFid: 2 })).result.user.fid).toBe(3)
    await db`delete from moderation.mutes`
  })

  it('are likes and recasts with their users', async () => {
    const { notifications } = (await ask('reactions-and-recasts', { fid: 1 })).result
    expect(notifications).toMatchObject([
      { hash: scene.castHash, reactionType: 'recast', reactors: [{ fid: 3 }, { fid: 2 }] },
      { hash: scene.castHash, reactionType: 'like', reactors: [{ fid: 3 }, { fid: 2 }] },
    ])
  })
})

it('asks for a key as the main API does', async () => {
  expect((await ask('user', { fid: 1 }, {})).body).toMatchObject({ code: 'Unauthorized', status: 401 })
  expect((await ask('user', { fid: 1 }, { 'x-api-key': key })).status).toBe(200)
  expect((await ask('user', { fid: 1, api_key: key }, {})).status).toBe(200)
  expect((await ask('user', { fid: 'one' })).body).toMatchObject({ code: 'InvalidField', property: 'fid' })
  expect((await ask('nothing')).body).toMatchObject({ code: 'NotFound', status: 404 })
})

it('is deprecated since it left the description of the hosted API', async () => {
  const deprecationOf = async (path: string) => {
    const { headers } = await app.inject({ url: `/v1/farcaster/${path}`, headers: { api_key: key } })
    return headers.deprecation
  }
  // Operations left on 20 November 2024, these three by the end of September.
  expect(await deprecationOf('user?fid=1')).toBe('@1732060800')
  expect(await deprecationOf('user-cast-likes?fid=1')).toBe('@1732060800')
  for (const path of ['cast-likes', 'cast-reactions', 'cast-recasters']) {
    expect(await deprecationOf(`${path}?castHash=${scene.castHash}`), path).toBe('@1727654400')
  }
})
