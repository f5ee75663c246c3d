import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { ReactionType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { createBearerVerifier } from '../../bearer/bearer-token.js'
import { appKeyAuthorization } from '../../bearer/testing/app-key-token.js'
import { approvedSigner } from '../../signers/testing/approved-signer.js'
import { consumeInbox } from '../testing/consume-inbox.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const clock = () => testNowUnix * 1000
const bearer = createBearerVerifier({ db, clock })
const api = await createTestApi({ db, hub, clock, bearer })

const [alice, bob, carol, dave] = [1, 2, 3, 4].map((fid) => new TestUser(fid)) as [
  TestUser,
  TestUser,
  TestUser,
  TestUser,
]
const gardens = 'https://example.com/~/channel/gardens'
const castId = (message: SignedMessage) => ({ fid: message.data.fid, hash: message.hash })
const hashOf = (message: SignedMessage) => `0x${message.hash.toString('hex')}`

const tulips = alice.cast('tulips', testNow - 900, { parentUrl: gardens })
const roses = alice.cast('roses', testNow - 890)
const reply = bob.cast('hello', testNow - 800, {
  parentCastId: castId(tulips),
  mentions: [1],
  mentionsPositions: [0],
})
const quote = carol.cast('see', testNow - 700, { embeds: [{ castId: castId(roses) }] })
const mention = carol.cast('hi', testNow - 600, { mentions: [1, 2], mentionsPositions: [0, 1] })

interface NotificationReply {
  type: string
  seen: boolean
  most_recent_timestamp: string
  count?: number
  cast?: { hash: string; type?: string }
  follows?: { user: { fid: number } }[]
  reactions?: { object: string; user: { fid: number }; cast: { hash: string; author: { fid: number } } }[]
}

async function list(path: string, query: Record<string, string | number>) {
  const reply = await api.get(path, query)
  expect(reply.statusCode, reply.body + api.lines.at(-1)).toBe(200)
  return reply.json<{
    notifications: NotificationReply[]
    unseen_notifications_count: number
    next: { cursor: string | null }
  }>()
}

const brief = ({ type, cast, count, follows, reactions }: NotificationReply) => [
  type,
  cast?.hash ?? null,
  count ?? null,
  (follows ?? reactions)?.map(({ user }) => user.fid) ?? null,
]

beforeAll(async () => {
  await hub.submitOnChainEvents([alice, bob, carol, dave].flatMap((user) => user.onChain()))
  const outcomes = await hub.submit([
    tulips,
    roses,
    reply,
    quote,
    mention,
    bob.react(tulips, testNow - 500),
    carol.react(tulips, testNow - 400),
    alice.react(tulips, testNow - 390),
    carol.react(roses, testNow - 350, { type: ReactionType.RECAST }),
    bob.link(1, testNow - 300),
    dave.link(1, testNow - 200),
  ])
  expect(outcomes.filter((outcome) => outcome !== null)).toEqual([])
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    values ('gardens', ${gardens}, ${gardens}, 'Gardens', 1, 1700000000)`
  await db`insert into channels.urls (url, channel_id) values (${gardens}, 'gardens')`
  await consumeInbox(db)
})

const all = [
  ['follows', null, 2, [4, 2]],
  ['recasts', hashOf(roses), 1, [3]],
  ['likes', hashOf(tulips), 2, [3, 2]],
  ['mention', hashOf(mention), null, null],
  ['quote', hashOf(quote), null, null],
  ['reply', hashOf(reply), null, null],
]

it('casts of mentions and replies have a type, other casts have none', async () => {
  const { notifications } = await list('notifications', { fid: 1 })
  const types = notifications.flatMap(({ type, cast }) => (cast ? [[type, cast.type ?? null]] : []))
  expect(Object.fromEntries(types)).toEqual({
    likes: null,
    recasts: null,
    mention: 'cast-mention',
    reply: 'cast-reply',
    quote: null,
  })
})

describe('GET notifications', () => {
  it('groups follows, and reactions by cast, newest first', async () => {
    const { notifications, unseen_notifications_count, next } = await list('notifications', { fid: 1 })
    expect(notifications.map(brief)).toEqual(all)
    expect(unseen_notifications_count).toBe(6)
    expect(next.cursor).toBeNull()
    expect(notifications[0]!.most_recent_timestamp).toBe(new Date((testNowUnix - 200) * 1000).toISOString())
    expect(notifications[2]!.reactions![0]).toMatchObject({
      object: 'likes',
      cast: { hash: hashOf(tulips), author: { fid: 1 } },
    })
  })

  it('shows the app of a follow if known', async () => {
    await db`
      insert into social.signer_apps (fid, key, app_fid) values (4, ${dave.key.publicKey}, 3) on conflict do nothing`
    const { notifications } = await list('notifications', { fid: 1, type: 'follows' })
    expect(notifications[0]!.follows).toMatchObject([
      { object: 'follower', user: { fid: 4 }, app: { object: 'user_dehydrated', fid: 3 } },
      { object: 'follower', user: { fid: 2 } },
    ])
    expect(notifications[0]!.follows![1]).not.toHaveProperty('app')
  })

  it('type -> only these types, comma-separated or repeated', async () => {
    const types = async (type: string) =>
      (await list('notifications', { fid: 1, type })).notifications.map((each) => each.type)
    expect(await types('likes,recasts')).toEqual(['recasts', 'likes'])
    // The reply mentions, too: it is one notification, of the first kind that is asked for.
    expect(await types('mentions')).toEqual(['mention', 'mention'])
    expect(await types('mentions,replies')).toEqual(['mention', 'reply'])
    const repeated = await api.app.inject({
      url: '/v2/social/notifications/?fid=1&type=follows&type=quotes',
      headers: { 'x-api-key': api.key },
    })
    expect(repeated.json().notifications.map((each: NotificationReply) => each.type)).toEqual([
      'follows',
      'quote',
    ])
    expect((await list('notifications', { fid: 1, type: 'likes' })).unseen_notifications_count).toBe(1)
  })

  it('pages through all notifications', async () => {
    const found: unknown[] = []
    let cursor: string | null = null
    do {
      const page = await list('notifications', { fid: 1, limit: 2, ...(cursor ? { cursor } : {}) })
      found.push(...page.notifications.map(brief))
      cursor = page.next.cursor
    } while (cursor !== null)
    expect(found).toEqual(all)
    expect((await list('notifications', { fid: 1, limit: all.length })).next.cursor).toBeNull()
  })

  it('an unknown user -> empty', async () => {
    expect(await list('notifications', { fid: 999 })).toEqual({
      notifications: [],
      unseen_notifications_count: 0,
      next: { cursor: null },
    })
  })

  it.each([
    ['notifications', {}, 'fid'],
    ['notifications', { fid: 0 }, 'fid'],
    ['notifications', { fid: 1, limit: 26 }, 'limit'],
    ['notifications', { fid: 1, type: 'reply' }, 'type'],
    ['notifications', { fid: 1, cursor: 'x' }, 'cursor'],
    ['notifications/channel', { fid: 1 }, 'channel_ids'],
    ['notifications/parent_url', { fid: 1 }, 'parent_urls'],
  ])('GET %s with %j is a 400 that names %s', async (path, query, property) => {
    const reply = await api.get(path, query as Record<string, string | number>)
    expect([reply.statusCode, reply.json().property]).toEqual([400, property])
  })
})

describe('GET notifications/channel and notifications/parent_url', () => {
  const belowUrlReply = [
    ['likes', hashOf(tulips), 2, [3, 2]],
    ['reply', hashOf(reply), null, null],
  ]

  it('show notifications about casts there and in their threads', async () => {
    const inChannel = await list('notifications/channel', { fid: 1, channel_ids: 'gardens, none' })
    expect(inChannel.notifications.map(brief)).toEqual(belowUrlReply)
    expect(inChannel.unseen_notifications_count).toBe(2)
    const belowUrl = await list('notifications/parent_url', { fid: 1, parent_urls: gardens })
    expect(belowUrl.notifications.map(brief)).toEqual(belowUrlReply)
    expect((await list('notifications/channel', { fid: 1, channel_ids: 'none' })).notifications).toEqual([])
  })

  it('take 100 channels or URLs', async () => {
    const names = Array.from({ length: 99 }, (_, index) => `none-${index}`)
    const channels = ['gardens', ...names]
    const inChannels = await list('notifications/channel', { fid: 1, channel_ids: channels.join() })
    expect(inChannels.notifications.map(brief)).toEqual(belowUrlReply)
    const urls = [gardens, ...names.map((name) => `https://example.com/${name}`)]
    const belowUrls = await list('notifications/parent_url', { fid: 1, parent_urls: urls.join() })
    expect(belowUrls.notifications.map(brief)).toEqual(belowUrlReply)
    const tooMany = { fid: 1, channel_ids: [...channels, 'one-more'].join() }
    expect((await api.get('notifications/channel', tooMany)).json().property).toBe('channel_ids')
  })

  it('refuse each other’s cursors', async () => {
    const { next } = await list('notifications/channel', { fid: 1, channel_ids: 'gardens', limit: 1 })
    const query = { fid: 1, channel_ids: 'gardens', cursor: next.cursor! }
    expect((await list('notifications/channel', query)).notifications.map(brief)).toEqual([belowUrlReply[1]])
    expect((await api.get('notifications', { fid: 1, cursor: next.cursor! })).statusCode).toBe(400)
  })
})

describe('POST notifications/seen', () => {
  const unseen = async (fid: number) => (await list('notifications', { fid })).unseen_notifications_count

  it('marks one type or all with a signer', async () => {
    const { id } = await approvedSigner({ db, hub }, alice, {
      appId: api.appId,
      permissions: ['PUBLISH_CAST'],
    })
    const likes = await api.send('POST', 'notifications/seen', { signer_uuid: id, type: 'likes' })
    expect([likes.statusCode, likes.json().success]).toEqual([200, true])
    const { notifications } = await list('notifications', { fid: 1 })
    expect(notifications.filter(({ seen }) => seen).map(({ type }) => type)).toEqual(['likes'])
    expect(await unseen(1)).toBe(5)
    await api.send('POST', 'notifications/seen', { signer_uuid: id })
    expect(await unseen(1)).toBe(0)
    expect(await unseen(2)).toBe(1)
  })

  it('marks with a bearer token', async () => {
    const authorization = appKeyAuthorization(bob)
    // Clients send an empty text for a signer that they have not.
    const reply = await api.send('POST', 'notifications/seen', { signer_uuid: '' }, { authorization })
    expect([reply.statusCode, reply.json().success]).toEqual([200, true])
    expect(await unseen(2)).toBe(0)
  })

  it('an empty type marks nothing: it is a 400, not all types', async () => {
    const authorization = appKeyAuthorization(bob)
    const reply = await api.send('POST', 'notifications/seen', { type: '' }, { authorization })
    expect([reply.statusCode, reply.json().property]).toEqual([400, 'type'])
  })

  it('requires one credential; two must belong to one user', async () => {
    const { id } = await approvedSigner({ db, hub }, carol, { appId: api.appId })
    const none = await api.send('POST', 'notifications/seen', { type: 'likes' })
    expect([none.statusCode, none.json().property]).toEqual([400, 'signer_uuid'])
    const authorization = appKeyAuthorization(bob)
    const two = await api.send('POST', 'notifications/seen', { signer_uuid: id }, { authorization })
    expect([two.statusCode, two.json().property]).toEqual([400, 'signer_uuid'])
  })

  it.each([
    { what: 'expired', changes: { payload: { exp: testNowUnix - 60 } } },
    { what: 'signed by another key', changes: { key: carol.key } },
  ])('refuses a token that is $what', async ({ changes }) => {
    const authorization = appKeyAuthorization(bob, changes)
    const reply = await api.send('POST', 'notifications/seen', {}, { authorization })
    expect([reply.statusCode, reply.json().property]).toEqual([401, 'authorization'])
  })

  it('refuses signers that may not write, and those of other apps', async () => {
    const reading = await approvedSigner({ db, hub }, carol, {
      appId: api.appId,
      permissions: ['READ_ONLY'],
    })
    const send = (signer_uuid: string) => api.send('POST', 'notifications/seen', { signer_uuid })
    expect((await send(reading.id)).statusCode).toBe(403)
    const other = await createTestApi({ db, hub, clock, bearer, appName: 'other' })
    const theirs = await approvedSigner({ db, hub }, carol, { appId: other.appId })
    expect((await send(theirs.id)).statusCode).toBe(403)
    expect((await send('11111111-2222-3333-4444-555555555555')).statusCode).toBe(404)
    expect((await api.send('POST', 'notifications/seen', { type: 'reply' })).statusCode).toBe(400)
  })
})

describe('undone and hidden actions', () => {
  const types = async (fid: number) => (await list('notifications', { fid })).notifications.map(brief)

  it('shrink their group; an empty group disappears', async () => {
    await hub.submit([
      dave.link(1, testNow - 100, { remove: true }),
      carol.react(roses, testNow - 90, { type: ReactionType.RECAST, remove: true }),
      carol.removeCast(quote.hash, testNow - 80),
    ])
    // At once, though the consumer has not been there: of what is gone nothing is shown.
    expect((await types(1)).map(([type]) => type)).toEqual(['follows', 'likes', 'mention', 'reply'])
    await consumeInbox(db)
    expect(await types(1)).toEqual([['follows', null, 1, [2]], all[2], all[3], all[5]])
  })

  it('of muted or blocked users are hidden, then shown again', async () => {
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (1, 3, 1700000000)`
    await hub.submit([bob.link(1, testNow - 70, { type: 'block' })])
    expect(await types(1)).toEqual([])
    await hub.submit([bob.link(1, testNow - 60, { type: 'block', remove: true })])
    expect(await types(1)).toEqual([
      ['follows', null, 1, [2]],
      ['likes', hashOf(tulips), 1, [2]],
      ['reply', hashOf(reply), null, null],
    ])
    await db`delete from moderation.mutes`
  })

  it('a deleted cast -> its notifications disappear', async () => {
    await hub.submit([alice.removeCast(tulips.hash, testNow - 50)])
    expect((await types(1)).map(([type]) => type)).toEqual(['follows', 'mention', 'reply'])
  })
})
