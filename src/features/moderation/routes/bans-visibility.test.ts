import { beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { storeTokens, TOKEN, tokenTrackingSettings } from '../../../../test/house/token-scene.js'
import { createTestHub } from '../../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { uncachedWriter } from '../../../graph/cache/invalidation.js'
import { fillWindow } from '../../../graph/cache/recent/window-loader.js'
import type { CallerName } from '../../../platform/limits/caller-name.js'
import { createCounter } from '../../../platform/limits/counter.js'
import { limits } from '../../../platform/limits/limits.js'
import { silentLog } from '../../../platform/log/log.js'
import { ReactionType, UserDataType } from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { saveChannel } from '../../channels/channels.js'
import { consumeInbox } from '../../notifications/testing/consume-inbox.js'

const statements: string[] = []
const { db, connect } = await createTestDatabase()
const reading = connect({ onStatement: (sql) => statements.push(sql) })
const clock = () => testNowUnix * 1000
// One server for both apps: what it keeps ready for one must not be shown to the other.
const hydrator = new Hydrator({ db: reading, clock, locationOf: () => null, maxViews: 100 })
const hub = await createTestHub(db)
const parts = { db: reading, writerDb: db, hub, clock, hydrator, tokenTracking: tokenTrackingSettings }
// This one also has the relations of viewers and the newest casts in memory.
const keepingHydrator = new Hydrator({
  ...{ db: reading, clock, locationOf: () => null, maxViews: 100 },
  ...{ maxViewerSetsBytes: 1_000_000, maxRecentEntries: 1_000 },
})
const rateLimiter = createCounter<CallerName>(limits.publicReads, clock, 0)
const publicReads = { rateLimiter, findClient: async () => null }
const strict = await createTestApi({ ...parts, appName: 'strict' })
const open = await createTestApi({ ...parts, publicReads, appName: 'open' })
const keeping = await createTestApi({
  ...{ ...parts, publicReads, hydrator: keepingHydrator },
  ...{ appName: 'keeping' },
})

const people = [1, 2, 3, 4, 5].map((fid) => new TestUser(fid))
const [alice, bob, carol, dave, erin] = people as [TestUser, TestUser, TestUser, TestUser, TestUser]
const gardens = 'https://example.com/~/channel/gardens'
const castId = (message: SignedMessage) => ({ fid: message.data.fid, hash: message.hash })
const hashOf = (message: SignedMessage) => `0x${message.hash.toString('hex')}`

const bobsCast = bob.cast('tulips of bob', testNow - 900, {
  parentUrl: gardens,
  embeds: [{ url: 'https://pictures.example/a.png' }],
})
const carolsCast = carol.cast('roses', testNow - 800, { parentUrl: gardens })
const reply = bob.cast('a reply', testNow - 700, { parentCastId: castId(carolsCast) })
const quote = bob.cast('a quote', testNow - 600, { embeds: [{ castId: castId(carolsCast) }] })
const likedByBob = erin.cast('nobody else likes it', testNow - 550)
const mention = bob.cast('hello', testNow - 500, { mentions: [1], mentionsPositions: [0] })

beforeAll(async () => {
  await hub.submitOnChainEvents(people.flatMap((user) => user.onChain({ units: 3 })))
  await hub.submitNameTransfers([nameTransfer('bob', 2, 100)])
  const outcomes = await hub.submit([
    bobsCast,
    carolsCast,
    reply,
    quote,
    mention,
    likedByBob,
    bob.userData(UserDataType.USERNAME, 'bob', testNow - 990),
    bob.userData(UserDataType.LOCATION, 'geo:46.95,7.45', testNow - 980),
    ...[bob, carol].map((user) => alice.link(user.fid, testNow - 400)),
    ...[alice, carol].map((user) => bob.link(user.fid, testNow - 300)),
    carol.link(2, testNow - 290),
    dave.link(3, testNow - 280),
    bob.react(carolsCast, testNow - 200),
    bob.react(likedByBob, testNow - 195),
    carol.react(bobsCast, testNow - 190),
    carol.react(bobsCast, testNow - 180, { type: ReactionType.RECAST }),
  ])
  expect(outcomes.filter((outcome) => outcome !== null)).toEqual([])
  await saveChannel(
    uncachedWriter(db),
    { id: 'gardens', lead_fid: 1, parent_url: gardens, followers: [{ fid: 2, followed_at: 5 }] },
    testNowUnix,
  )
  await db`insert into topics.topics values ('tulips', 'Tulips', 1, 'science_technology', null, '{2}')`
  await db`insert into channels.members values ('gardens', 2, 'member', 6)`
  await db`
    insert into channels.invites (channel_id, fid, role, inviter_fid, state, invited_at)
    values ('gardens', 2, 'moderator', 1, 'invited', 7), ('gardens', 4, 'member', 2, 'invited', 8)`
  await storeTokens(db)
  await consumeInbox(db)
  const ends = await db<{ shard: number; height: number }[]>`select shard, height from hub.shards`
  const { invalidation, window } = keepingHydrator
  invalidation.blocks.start(new Map(ends.map(({ shard, height }) => [shard, height])))
  const loading = { db, blocks: invalidation.blocks, window, clock, log: silentLog }
  await fillWindow(loading, new AbortController().signal)
})

const user = '"username":"bob"'
/** A list, and how what it has of bob is told. */
const lists: [path: string, query: Record<string, string | number | boolean>, trace: string][] = [
  ['feed', { feed_type: 'following', fid: 1 }, hashOf(bobsCast)],
  ['feed', { feed_type: 'filter', filter_type: 'fids', fids: '2,3' }, hashOf(bobsCast)],
  ['feed', { feed_type: 'filter', filter_type: 'parent_url', parent_url: gardens }, hashOf(bobsCast)],
  ['feed', { feed_type: 'filter', filter_type: 'channel_id', channel_id: 'gardens' }, hashOf(bobsCast)],
  [
    'feed',
    { feed_type: 'filter', filter_type: 'embed_url', embed_url: 'pictures.example' },
    hashOf(bobsCast),
  ],
  ['feed', { feed_type: 'filter', filter_type: 'embed_types', embed_types: 'image' }, hashOf(bobsCast)],
  ['feed/following', { fid: 4 }, hashOf(bobsCast)],
  ['feed/channels', { channel_ids: 'gardens' }, hashOf(bobsCast)],
  ['feed/channels', { channel_ids: 'gardens', with_replies: true }, hashOf(reply)],
  ['feed/parent_urls', { parent_urls: gardens }, hashOf(bobsCast)],
  ['feed/trending', {}, hashOf(bobsCast)],
  ['feed/for_you', { fid: 1 }, hashOf(bobsCast)],
  ['feed/for_you', { fid: 1 }, hashOf(likedByBob)],
  ['feed/user/casts', { fid: 2 }, hashOf(bobsCast)],
  ['feed/user/popular', { fid: 2 }, hashOf(bobsCast)],
  ['feed/user/replies_and_recasts', { fid: 2 }, hashOf(reply)],
  ['feed/user/replies_and_recasts', { fid: 3 }, hashOf(bobsCast)],
  ['cast/search', { q: 'tulips' }, hashOf(bobsCast)],
  ['cast/conversation', { identifier: hashOf(carolsCast), type: 'hash' }, hashOf(reply)],
  ['cast/quotes', { identifier: hashOf(carolsCast), type: 'hash' }, hashOf(quote)],
  ['topic/trending', {}, user],
  ['reactions/cast', { hash: hashOf(carolsCast), types: 'all' }, user],
  ['reactions/user', { fid: 3, type: 'all' }, hashOf(bobsCast)],
  ['reactions/user', { fid: 2, type: 'all' }, user],
  ['followers', { fid: 1 }, user],
  ['followers', { fid: 1, sort_type: 'algorithmic' }, user],
  ['following', { fid: 1 }, user],
  ['followers/reciprocal', { fid: 1 }, user],
  ['followers/relevant', { target_fid: 1, viewer_fid: 3 }, user],
  ['following/suggested', { fid: 4 }, user],
  ['channel/followers', { id: 'gardens' }, user],
  ['channel/followers/relevant', { id: 'gardens', viewer_fid: 1 }, user],
  ['channel/member/list', { channel_id: 'gardens' }, user],
  ['channel/member/invite/list', { channel_id: 'gardens' }, user],
  ['channel/member/invite/list', { invited_fid: 4 }, user],
  ['fungible/trades', { network: 'base', address: TOKEN }, user],
  ['user/search', { q: 'bob' }, user],
  ['user/best_friends', { fid: 3 }, user],
  ['user/by_location', { latitude: 46.95, longitude: 7.45 }, user],
  ['notifications', { fid: 1 }, hashOf(mention)],
  ['notifications', { fid: 1, type: 'follows' }, user],
]

async function change(method: 'POST' | 'DELETE'): Promise<void> {
  const answer = await strict.send(method, 'ban', { fids: [2] })
  expect([answer.statusCode, strict.lines.at(-1)]).toEqual([200, expect.anything()])
}

/** Whether the list shows it. */
async function includesCarol(
  api: typeof open,
  path: string,
  query: (typeof lists)[number][1],
  trace: string,
) {
  const answer = await api.get(path, query)
  expect([answer.statusCode, answer.body]).toEqual([200, expect.any(String)])
  return answer.body.includes(trace)
}

describe('banned users', () => {
  it.each(lists)('is not in %s %j, for this app, as long as it bans them', async (path, query, trace) => {
    expect([
      await includesCarol(strict, path, query, trace),
      await includesCarol(open, path, query, trace),
    ]).toEqual([true, true])
    await change('POST')
    expect([
      await includesCarol(strict, path, query, trace),
      await includesCarol(open, path, query, trace),
    ]).toEqual([false, true])
    // Of a viewer, besides: its blocks and mutes count as well.
    if (!('viewer_fid' in query) && !path.startsWith('notifications')) {
      expect(await includesCarol(strict, path, { ...query, viewer_fid: 4 }, trace)).toBe(false)
    }
    await change('DELETE')
    expect(await includesCarol(strict, path, query, trace)).toBe(true)
  })

  it('are found by lookups, and counted', async () => {
    await change('POST')
    const { cast } = (await strict.get('cast', { identifier: hashOf(bobsCast), type: 'hash' })).json()
    expect(cast.author.username).toBe('bob')
    expect((await strict.get('user/bulk', { fids: 2 })).json().users).toHaveLength(1)
    const invite = { channel_id: 'gardens', invited_fid: 2 }
    expect((await strict.get('channel/member/invite/list', invite)).json().invites).toHaveLength(1)
    const answered = (await strict.get('cast', { identifier: hashOf(carolsCast), type: 'hash' })).json()
    expect(answered.cast).toMatchObject({ replies: { count: 1 }, reactions: { likes_count: 1 } })
    await change('DELETE')
  })

  it('no bans -> no extra statement', async () => {
    await includesCarol(open, 'feed/channels', { channel_ids: 'gardens', with_replies: true }, '')
    statements.length = 0
    await includesCarol(open, 'feed/channels', { channel_ids: 'gardens', with_replies: true }, '')
    expect(statements.filter((sql) => sql.includes('moderation.bans'))).toEqual([])
    expect(statements).toHaveLength(1)
  })
})

const withoutViewer = [
  'topic/trending',
  'channel/member/list',
  'channel/member/invite/list',
  'fungible/trades',
  'user/best_friends',
]
const ofViewer = lists.filter(([path]) => !withoutViewer.includes(path) && !path.startsWith('notifications'))

describe.each([
  ['with the tables', open],
  ['with relations in memory', keeping],
])('muted users, %s', (_, api) => {
  it.each(ofViewer)('are in %s %j without a key: nobody can read mutes', async (path, query, trace) => {
    const asked = { viewer_fid: 4, ...query }
    const mute = { fid: asked.viewer_fid, muted_fid: 2 }
    const withKey = () => includesCarol(api, path, asked, trace)
    const texts = Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)]))
    const withoutKey = async () => {
      const answer = await api.app.inject({ url: `/v2/farcaster/${path}`, query: texts })
      expect(answer.statusCode).toBe(200)
      return answer.body.includes(trace)
    }
    expect((await api.send('POST', 'mute', mute)).statusCode).toBe(200)
    expect([await withKey(), await withoutKey(), await withKey()]).toEqual([false, true, false])
    expect((await api.send('DELETE', 'mute', mute)).statusCode).toBe(200)
    expect(await withoutKey()).toBe(true)
  })
})

it('blocks of the viewer count without a key', async () => {
  const query = { fid: '1', viewer_fid: '4' }
  const shown = async () => (await open.app.inject({ url: '/v2/farcaster/followers', query })).body
  expect(await shown()).toContain(user)
  await db`insert into social.blocks ${db({ fid: 4, target_fid: 2, ts: testNow })}`
  expect(await shown()).not.toContain(user)
  await db`delete from social.blocks`
})

describe('POST ban and DELETE ban', () => {
  it('take as many fids as an app may ban', async () => {
    const crowded = await createTestApi({ ...parts, appName: 'crowded' })
    const fids = Array.from({ length: 10_000 }, (_, index) => 1_000 + index)
    await db`insert into social.users (fid, custody_address, registered_at) select fid, '', 0 from unnest(${fids}::bigint[]) u (fid)`
    const change = async (method: 'POST' | 'DELETE', body: object) => {
      const { statusCode, body: text } = await crowded.send(method, 'ban', body)
      return [statusCode, text]
    }
    const answer = (text: string) => [200, JSON.stringify({ success: true, message: text })]
    expect(await change('POST', { fids })).toEqual(answer('newly banned: 10000'))
    expect(await change('POST', { fids: [2] })).toEqual([409, expect.stringContaining('at most 10000')])
    expect(await change('DELETE', { fids })).toEqual(answer('unbanned: 10000'))
    expect(await change('POST', { fids: [...fids, 2] })).toEqual([400, expect.stringContaining('10000')])
    // At the same moment, too.
    const halves = [fids.slice(0, 6_000), fids.slice(4_000)].map((part) => change('POST', { fids: part }))
    const replies = await Promise.all(halves)
    expect(replies.map(([status]) => status).sort()).toEqual([200, 200])
    expect(await change('DELETE', { fids })).toEqual(answer('unbanned: 10000'))
    const more = Array.from({ length: 6_000 }, (_, index) => 20_000 + index)
    await db`insert into social.users (fid, custody_address, registered_at) select fid, '', 0 from unnest(${more}::bigint[]) u (fid)`
    const different = [fids.slice(0, 6_000), more].map((part) => change('POST', { fids: part }))
    expect((await Promise.all(different)).map(([status]) => status).sort()).toEqual([200, 409])
  })

  it('fids that are not registered -> 404 with the first ones', async () => {
    const fids = Array.from({ length: 101 }, (_, index) => 90_000 + index)
    const few = await strict.send('POST', 'ban', { fids: fids.slice(0, 2) })
    expect([few.statusCode, few.json().message]).toEqual([404, 'no such users: 90000, 90001'])
    const many = await strict.send('POST', 'ban', { fids })
    expect(many.json().message).toBe(`no such users: ${fids.slice(0, 100).join(', ')} and 1 more`)
  })
})

describe('POST mute', () => {
  it('refuses more mutes of a user than fit, and nothing else', async () => {
    const most = 10_000
    await db`insert into moderation.mutes select 4, 1_000 + n, ${testNowUnix} from generate_series(2, ${most}) n`
    const change = async (method: 'POST' | 'DELETE', mutedFid: number) => {
      const reply = await strict.send(method, 'mute', { fid: 4, muted_fid: mutedFid })
      return [reply.statusCode, reply.json().message]
    }
    expect(await change('POST', 2)).toEqual([200, 'muted'])
    expect(await change('POST', 3)).toEqual([409, 'a user mutes at most 10000 users'])
    expect(await change('POST', 2)).toEqual([200, 'already muted'])
    expect(await change('DELETE', 2)).toEqual([200, 'unmuted'])
    expect(await change('POST', 3)).toEqual([200, 'muted'])
    await db`delete from moderation.mutes where fid = 4`
  })
})
