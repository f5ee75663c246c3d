import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressVerification, TestChannel } from '../../../test/channels.js'
import { createTestDatabase } from '../../../test/database.js'
import { openHubApi } from '../../../test/hub-api.js'
import { openHubGrpc } from '../../../test/hub-grpc.js'
import { TestUser, testNow } from '../../../test/network.js'
import { channelUrl } from '../../protocol/channel-uri.js'
import {
  ChannelMemberAction as Action,
  CastingMode,
  ChannelModerateAction,
  FarcasterNetwork,
  MembershipMode,
  MessageType,
  ReactionType,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { HubServiceService } from '../../protocol/proto/generated/rpc.js'

const { db } = await createTestDatabase()
const shards = 2
const api = await openHubApi(db, { config: { shards } })
const grpc = await openHubGrpc(db, { hub: api.hub, config: { shards } })
/** Shows the same database as one of a network that has no date for engine V21. */
const testnet = await openHubApi(db, { hub: api.hub, config: { shards, network: FarcasterNetwork.TESTNET } })
const client = new Client(grpc.server.address, credentials.createInsecure())
afterAll(() => client.close())

const users = [1, 2, 3, 4, 5, 6].map((fid) => new TestUser(fid))
const [owner, bob, carol] = users as [TestUser, TestUser, TestUser]
const plaza = new TestChannel('plaza', Buffer.alloc(20, 1))
const other = new TestChannel('bazaar', plaza.owner)
const parked = new TestChannel('parked', Buffer.alloc(20, 2))
const id = `0x${plaza.id.toString('hex')}`
const address = `0x${plaza.owner.toString('hex')}`
const hashes = [1, 2, 3].map((byte) => Buffer.alloc(20, byte))
const hex = (hash: Buffer) => `0x${hash.toString('hex')}`

async function merge(...messages: SignedMessage[]): Promise<void> {
  for (const message of messages) expect(await api.hub.submit([message], { trusted: true })).toEqual([null])
}

function like(
  user: TestUser,
  url: string,
  at = testNow,
  type = ReactionType.LIKE,
  remove = false,
): SignedMessage {
  const messageType = remove ? MessageType.REACTION_REMOVE : MessageType.REACTION_ADD
  return user.message({ type: messageType, reactionBody: { type, targetUrl: url } }, at)
}

const urlOf = (channel: TestChannel) => channelUrl(FarcasterNetwork.DEVNET, channel.id)!

beforeAll(async () => {
  await api.hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  for (const channel of [plaza, other, parked]) await channel.register(db)
  await merge(
    addressVerification(owner, plaza.owner),
    plaza.member(owner, Action.ADD_MODERATOR, bob.fid, testNow - 5),
    plaza.member(owner, Action.ADD_MEMBER, carol.fid),
    plaza.member(owner, Action.ADD_MEMBER, 300),
    plaza.member(owner, Action.BAN, 4_000_000_000),
    other.member(owner, Action.ADD_MEMBER, carol.fid),
    plaza.pin(bob, hashes[0]),
    ...hashes.map((hash) => plaza.moderate(bob, hash)),
    plaza.moderate(owner, hashes[1]!, ChannelModerateAction.UNHIDE),
    ...users.map((user) => like(user, urlOf(plaza), testNow - user.fid)),
    like(carol, urlOf(other)),
  )
})

type Json = ReturnType<typeof JSON.parse>

async function get(path: string): Promise<Json> {
  const { status: code, body, text } = await api.get(`/v1/${path}`)
  expect(code, text).toBe(200)
  return body
}

/** The status, the error's heading and its text. */
async function refusal(path: string): Promise<unknown[]> {
  const { status: code, body } = await api.get(`/v1/${path}`)
  return [code, body.error, body.details]
}

type Name = keyof typeof HubServiceService

function call(name: Name, request: object): Promise<Json> {
  const { path, requestSerialize, responseDeserialize } = HubServiceService[name]
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      path,
      requestSerialize as (value: object) => Buffer,
      responseDeserialize as (bytes: Buffer) => object,
      request,
      (error: ServiceError | null, reply) => (error ? reject(error) : resolve(reply)),
    )
  })
}

describe('over HTTP', () => {
  test('the owner of a channel is shown by fid and address; fid 0 when it is parked', async () => {
    expect(await get('channelOwner?channel_key=plaza')).toEqual({
      fid: 1,
      ownerAddress: address,
      expiry: 1_900_000_000,
    })
    expect((await get('channelOwner?channel_key=parked')).fid).toBe(0)
    expect(await refusal('channelOwner?channel_key=nothing')).toEqual([
      400,
      'Failed to get channel owner',
      'channel not registered',
    ])
  })

  test('channels of an address and of a user are sorted by key', async () => {
    const list = await get(`channelsByAddress?address=${address}`)
    expect(list.channels.map(({ channelKey }: Json) => channelKey)).toEqual(['bazaar', 'plaza'])
    expect(list.channels[0]).toEqual({
      channelKey: 'bazaar',
      fid: 1,
      ownerAddress: address,
      expiry: 1_900_000_000,
    })
    expect(list).not.toHaveProperty('nextPageToken')
    expect(await get('channelsByFid?fid=1')).toEqual(list)
    expect(await get('channelsByFid?fid=2')).toEqual({ channels: [] })
    expect(await get(`channelsByAddress?address=${address}&pageSize=0`)).toEqual({ channels: [] })
    expect((await refusal('channelsByAddress?address=0x0102'))[2]).toBe('expected 20-byte EVM address, got 2')
  })

  test('a member has a state and the time of the last action; nobody has neither', async () => {
    expect(await get(`channelMember?channelId=${id}&fid=2`)).toEqual({
      state: 'CHANNEL_MEMBER_STATE_MODERATOR',
      lastActionTs: testNow - 5,
    })
    expect(await get(`channelMember?channelId=${id.slice(2)}&fid=77`)).toEqual({
      state: 'CHANNEL_MEMBER_STATE_NONE',
    })
    expect(await refusal(`channelMember?channelId=0x01&fid=2`)).toEqual([
      400,
      'Failed to get channel member',
      'channel_id must be 32 bytes',
    ])
    for (const fid of ['0', '4294967296', '18446744073709551615']) {
      expect((await refusal(`channelMember?channelId=${id}&fid=${fid}`))[2]).toBe(
        'fid must fit in a non-zero u32',
      )
    }
  })

  test('members are sorted by fid and filtered by the name of a state', async () => {
    const { members } = await get(`channelMembers?channelId=${id}`)
    expect(members).toEqual([
      { fid: 2, state: 'CHANNEL_MEMBER_STATE_MODERATOR' },
      { fid: 3, state: 'CHANNEL_MEMBER_STATE_MEMBER' },
      { fid: 300, state: 'CHANNEL_MEMBER_STATE_MEMBER' },
      { fid: 4_000_000_000, state: 'CHANNEL_MEMBER_STATE_BANNED' },
    ])
    expect((await get(`channelMembers?channelId=${id}&reverse=true`)).members).toEqual([...members].reverse())
    const only = (name: string) =>
      get(`channelMembers?channelId=${id}&stateFilter=CHANNEL_MEMBER_STATE_${name}`)
    expect((await only('MEMBER')).members).toEqual(members.slice(1, 3))
    expect((await only('NONE')).members).toEqual(members)
    expect((await refusal(`channelMembers?channelId=${id}&stateFilter=MEMBER`))[0]).toBe(400)
    const both = 'stateFilter=CHANNEL_MEMBER_STATE_BANNED&state_filter=CHANNEL_MEMBER_STATE_MEMBER'
    expect((await get(`channelMembers?channelId=${id}&${both}`)).members).toEqual(members.slice(1, 3))
  })

  test('the pin is the last one, and null once unpinned', async () => {
    expect(await get(`channelPin?channelId=${id}`)).toEqual({
      pin: { castHash: hex(hashes[0]!), authorFid: 2 },
    })
    expect(await get(`channelPin?channelId=0x${other.id.toString('hex')}`)).toEqual({ pin: null })
    await merge(other.pin(owner, hashes[2]), other.pin(owner))
    expect(await get(`channelPin?channelId=0x${other.id.toString('hex')}`)).toEqual({ pin: null })
  })

  test('moderations are sorted by hash, those shown again included', async () => {
    const { moderations } = await get(`channelModerations?channelId=${id}`)
    expect(moderations).toEqual([
      { castHash: hex(hashes[0]!), action: 'CHANNEL_MODERATE_ACTION_HIDE', authorFid: 2 },
      { castHash: hex(hashes[1]!), action: 'CHANNEL_MODERATE_ACTION_UNHIDE', authorFid: 1 },
      { castHash: hex(hashes[2]!), action: 'CHANNEL_MODERATE_ACTION_HIDE', authorFid: 2 },
    ])
  })

  test('metadata keeps empty text apart from none, and modes are never NONE', async () => {
    const none = { name: null, description: null, imageUrl: null, header: null, rules: null }
    const strict = { castingMode: 'CASTING_MODE_MEMBERS_ONLY', membershipMode: 'MEMBERSHIP_MODE_APPROVAL' }
    expect(await get(`channelMetadata?channelId=${id}`)).toEqual({ ...none, ...strict })
    await merge(plaza.update(owner, { name: 'Plaza', rules: '', castingMode: CastingMode.EVERYONE }))
    expect(await get(`channelMetadata?channelId=${id}`)).toEqual({
      ...none,
      ...strict,
      name: 'Plaza',
      rules: '',
      castingMode: 'CASTING_MODE_EVERYONE',
    })
    await merge(plaza.update(owner, { castingMode: CastingMode.NONE, membershipMode: MembershipMode.OPEN }))
    expect(await get(`channelMetadata?channelId=${id}`)).toEqual({
      ...none,
      ...strict,
      membershipMode: 'MEMBERSHIP_MODE_OPEN',
    })
  })

  test('memberships of a user are sorted by channel', async () => {
    const state = 'CHANNEL_MEMBER_STATE_MEMBER'
    const expected = [plaza, other].map((channel) => ({ channelId: hex(channel.id), state }))
    const sorted = expected.sort((a, b) => (a.channelId < b.channelId ? -1 : 1))
    expect(await get('channelMembershipsByFid?fid=3')).toEqual({ memberships: sorted })
    expect(await get('channelMembershipsByFid?fid=99')).toEqual({ memberships: [] })
  })

  test('a channel that is not registered is an error of five reads, and empty for others', async () => {
    const unknown = '0x'.padEnd(66, 'ab')
    const text = 'channel not registered'
    for (const path of ['Member', 'Members', 'Pin', 'Moderations', 'Metadata']) {
      expect(
        (await refusal(`channel${path}?channelId=${unknown}&fid=1`)).filter((_, at) => at !== 1),
      ).toEqual([400, text])
    }
    expect(await get(`channelFollowers?channelId=${unknown}`)).toEqual({ followers: [] })
    expect(await get(`channelFollowerCount?channelId=${unknown}`)).toEqual({ count: 0 })
  })
})

test.each([0, 4_294_967_296])('fid %d owns no channels, over HTTP and gRPC', async (fid) => {
  expect(await get(`channelsByFid?fid=${fid}`)).toEqual({ channels: [] })
  expect((await call('getChannelsByFid', { fid })).channels).toEqual([])
})

describe('follows', () => {
  test('are likes of the URL of the channel in its one spelling', async () => {
    expect(await get(`channelFollowerCount?channelId=${id}`)).toEqual({ count: 6 })
    expect(await get(`isFollowingChannel?channelId=${id}&fid=2`)).toEqual({
      following: true,
      followedAt: testNow - 2,
    })
    const url = urlOf(parked)
    for (const spelling of [url.toLowerCase(), url.replace('eip155', 'EIP155'), `chain://${url}`]) {
      await merge(like(bob, spelling))
    }
    await merge(like(bob, url.replace(/\/(\d+)$/, '/0$1')), like(bob, url, testNow, ReactionType.RECAST))
    expect(await get(`isFollowingChannel?channelId=${hex(parked.id)}&fid=2`)).toEqual({ following: false })
    expect(await get(`channelFollowerCount?channelId=${hex(parked.id)}`)).toEqual({ count: 0 })
  })

  test('end when the like is taken back, and begin again with a new time', async () => {
    const at = async () => (await get(`isFollowingChannel?channelId=${hex(parked.id)}&fid=3`)).followedAt
    await merge(like(carol, urlOf(parked), testNow - 9))
    expect(await at()).toBe(testNow - 9)
    await merge(like(carol, urlOf(parked), testNow - 8, ReactionType.LIKE, true))
    expect(await at()).toBeUndefined()
    await merge(like(carol, urlOf(parked), testNow - 7))
    expect(await at()).toBe(testNow - 7)
    await merge(like(carol, urlOf(parked), testNow - 6, ReactionType.LIKE, true))
  })

  test('of a user are sorted by channel', async () => {
    const ids = [plaza, other].map((channel) => hex(channel.id)).sort()
    const { follows } = await get('channelFollows?fid=3')
    expect(follows.map(({ channelId }: Json) => channelId)).toEqual(ids)
    expect((await get('channelFollows?fid=3&reverse=true')).follows).toEqual([...follows].reverse())
    expect(await get('channelFollows?fid=99')).toEqual({ follows: [] })
  })
})

/** Every list, with the name of its entries. */
const lists = [
  [`channelsByAddress?address=${address}`, 'channels'],
  ['channelsByFid?fid=1', 'channels'],
  [`channelMembers?channelId=${id}`, 'members'],
  [`channelModerations?channelId=${id}`, 'moderations'],
  ['channelMembershipsByFid?fid=3', 'memberships'],
  ['channelFollows?fid=3', 'follows'],
] as const

describe('on a network without engine V21', () => {
  test.each([
    [`channelMembershipsByFid?fid=${carol.fid}`, { memberships: [] }],
    [`channelsByAddress?address=${address}`, { channels: [] }],
    ['channelsByFid?fid=1', { channels: [] }],
    [`channelFollowers?channelId=${id}`, { followers: [] }],
    [`channelFollowerCount?channelId=${id}`, { count: 0 }],
    ['channelFollows?fid=3', { follows: [] }],
    [`isFollowingChannel?fid=3&channelId=${id}`, { following: false }],
  ])('%s is empty', async (path, body) => {
    expect(await testnet.get(`/v1/${path}`)).toMatchObject({ status: 200, body })
  })

  test.each([
    'channelOwner?channel_key=plaza',
    `channelMember?channelId=${id}&fid=2`,
    `channelMembers?channelId=${id}`,
    `channelPin?channelId=${id}`,
    `channelModerations?channelId=${id}`,
    `channelMetadata?channelId=${id}`,
  ])('%s finds no channel', async (path) => {
    const { status: code, body } = await testnet.get(`/v1/${path}`)
    expect([code, body.details]).toEqual([400, 'channel not registered'])
  })
})

describe('pages', () => {
  test.each(lists.flatMap(([path, name]) => [1, 2].map((size) => [path, size, name] as const)))(
    '%s in pages of %i have every entry once, in both directions',
    async (path, size, name) => {
      for (const reverse of path.startsWith('channelsByFid') ? [false] : [false, true]) {
        const all = (await get(`${path}&reverse=${reverse}`))[name]
        const seen: unknown[] = []
        let token: string | undefined
        do {
          const query = `pageSize=${size}&pageToken=${encodeURIComponent(token ?? '')}&reverse=${reverse}`
          const reply = await get(`${path}&${query}`)
          seen.push(...reply[name])
          // A full page has a token, even the last one; the page after it is empty.
          expect(reply.nextPageToken !== undefined).toBe(reply[name].length === size)
          token = reply.nextPageToken
        } while (token)
        expect(seen).toEqual(all)
      }
    },
  )

  test('followers have a page size for each shard, and end after all shards', async () => {
    const seen: number[] = []
    let token: string | undefined
    do {
      const reply = await get(
        `channelFollowers?channelId=${id}&page_size=1&page_token=${encodeURIComponent(token ?? '')}`,
      )
      expect(reply.followers.length).toBeLessThanOrEqual(2)
      seen.push(...reply.followers.map(({ fid }: Json) => fid))
      token = reply.nextPageToken
    } while (token)
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5, 6])
    const all = await get(`channelFollowers?channelId=${id}`)
    expect(all.followers).toEqual(users.map(({ fid }) => ({ fid, followedAt: testNow - fid })))
    expect(all).not.toHaveProperty('nextPageToken')
  })

  test('a token of another list, channel or user is refused', async () => {
    const text = 'page token does not belong to the requested index'
    const { nextPageToken: token } = await get(`channelMembers?channelId=${id}&pageSize=1`)
    const query = `pageToken=${encodeURIComponent(token)}`
    expect((await refusal(`channelMembers?channelId=${hex(other.id)}&${query}`))[2]).toBe(text)
    expect((await refusal(`channelModerations?channelId=${id}&${query}`))[2]).toBe(text)
    expect((await refusal(`channelFollowers?channelId=${id}&${query}`))[2]).toBe(text)
    const { nextPageToken: ofCarol } = await get('channelFollows?fid=3&pageSize=1')
    expect((await refusal(`channelFollows?fid=2&pageToken=${encodeURIComponent(ofCarol)}`))[2]).toBe(text)
  })

  test.each([
    ['a shard twice', [1, 1]],
    ['another shard', [1, 9]],
    ['a shard too few', [1]],
  ])('a token of followers with %s is refused', async (_what, ids) => {
    const scans = ids.map((shard) => ({ shard_id: shard, scan: 'Fresh' }))
    const token = Buffer.from(JSON.stringify(scans)).toString('base64')
    expect(
      (await refusal(`channelFollowers?channelId=${id}&pageToken=${encodeURIComponent(token)}`))[0],
    ).toBe(400)
  })

  test('a page size of 0 is refused, a larger one than 1000 is taken as that', async () => {
    expect((await refusal(`channelMembers?channelId=${id}&page_size=0`))[2]).toBe(
      'page_size must be greater than zero; omit it for the server default',
    )
    expect((await get(`channelMembers?channelId=${id}&page_size=4000000`)).members).toHaveLength(4)
    expect((await get(`channelMembers?channelId=${id}&pageSize=3&page_size=2`)).members).toHaveLength(2)
  })
})

describe('over gRPC', () => {
  const channelId = plaza.id

  test('the methods answer as over HTTP', async () => {
    expect(await call('getChannelOwner', { channelKey: 'plaza' })).toMatchObject({
      fid: 1,
      expiry: 1_900_000_000,
    })
    const { channels } = await call('getChannelsByAddress', { ownerAddress: plaza.owner })
    expect(channels.map(({ channelKey }: Json) => channelKey)).toEqual(['bazaar', 'plaza'])
    expect((await call('getChannelsByFid', { fid: 1 })).channels).toHaveLength(2)
    expect(await call('getChannelMember', { channelId, fid: 2 })).toEqual({
      state: 2,
      lastActionTs: testNow - 5,
    })
    expect((await call('getChannelMembers', { channelId, stateFilter: 4 })).members).toEqual([
      { fid: 4_000_000_000, state: 4 },
    ])
    expect((await call('getChannelPin', { channelId })).pin.authorFid).toBe(2)
    expect((await call('getChannelModerations', { channelId })).moderations).toHaveLength(3)
    expect((await call('getChannelMetadata', { channelId })).castingMode).toBeGreaterThan(0)
    expect((await call('getChannelMembershipsByFid', { fid: 3 })).memberships).toHaveLength(2)
    expect((await call('getChannelFollowers', { channelId })).followers).toHaveLength(6)
    expect(await call('getChannelFollowerCount', { channelId })).toEqual({ count: 6 })
    expect((await call('getChannelFollows', { fid: 3 })).follows).toHaveLength(2)
    expect(await call('isFollowingChannel', { fid: 2, channelId })).toEqual({
      following: true,
      followedAt: testNow - 2,
    })
  })

  test('tokens are the keys of the reference node', async () => {
    const { nextPageToken } = await call('getChannelMembers', { channelId, pageSize: 1 })
    expect(Buffer.from(nextPageToken)).toEqual(
      Buffer.concat([Buffer.of(24, 2), plaza.id, Buffer.of(0, 0, 0, 2)]),
    )
    const { nextPageToken: channels } = await call('getChannelsByFid', { fid: 1, pageSize: 1 })
    expect(Buffer.from(channels)).toEqual(
      Buffer.concat([Buffer.of(12, 57), plaza.owner, Buffer.from('bazaar')]),
    )
  })

  test('an unknown channel is NOT_FOUND, a malformed id INVALID_ARGUMENT', async () => {
    const code = (name: Name, request: object) =>
      call(name, request).then(
        () => 0,
        (error) => error.code,
      )
    expect(await code('getChannelPin', { channelId: Buffer.alloc(32, 9) })).toBe(status.NOT_FOUND)
    expect(await code('getChannelPin', { channelId: Buffer.alloc(31) })).toBe(status.INVALID_ARGUMENT)
    expect(await code('getChannelOwner', { channelKey: 'nothing' })).toBe(status.NOT_FOUND)
  })
})
