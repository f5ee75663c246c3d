import { beforeAll, expect, it } from 'vitest'
import { channelRegistration, channelTransfer } from '../../../../test/channel-events.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { replay } from '../../../graph/project/replay.js'
import { verification } from '../../../hub/merge/testing/in-memory-merges.js'
import { channelIdOf, channelUrl } from '../../../protocol/channel-uri.js'
import {
  ChannelMemberAction,
  ChannelModerateAction,
  MembershipMode,
  MessageType,
  UserDataType,
} from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { approvedSigner } from '../../signers/testing/approved-signer.js'
import { importChannel } from '../channels.js'

const { db } = await createTestDatabase()
const clock = () => testNowUnix * 1000
const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 100 })
const hub = await createTestHub(db, {
  shards: 2,
  onCommitted: (events) => hydrator.invalidation.applyCommitted(events),
})
const { get, send, appId } = await createTestApi({ db, hub, clock, hydrator })

const users = [1, 2, 3, 4, 5].map((fid) => new TestUser(fid))
const [owner, mod, member, stranger, heir] = users as [TestUser, TestUser, TestUser, TestUser, TestUser]
const [ownerAddress, heirAddress] = [Buffer.alloc(20, 1), Buffer.alloc(20, 2)]
const channelId = channelIdOf('gardens')
const url = 'https://farcaster.xyz/~/channel/gardens'
const signers = new Map<number, string>()

beforeAll(async () => {
  await hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  for (const user of users) {
    signers.set(user.fid, (await approvedSigner({ db, hub }, user, { appId })).id)
  }
  await importChannel(
    db,
    {
      id: 'gardens',
      name: 'Imported',
      description: 'of the client',
      lead_fid: 4,
      members: [{ fid: 5, role: 'moderator', member_since: 7 }],
      followers: [{ fid: 5, followed_at: 8 }],
      external_link: { title: 'Seeds', url: 'https://seeds.example' },
    },
    testNowUnix,
  )
  await submit(verification(owner, ownerAddress, testNow - 90))
  await hub.submitOnChainEvents([channelRegistration('gardens', ownerAddress, { block: 10 })])
})

async function submit(...messages: Parameters<typeof hub.submit>[0]) {
  expect(await hub.submit(messages, { trusted: true })).toEqual(messages.map(() => null))
}

const channel = async (viewer_fid = 1) => (await get('channel', { id: 'gardens', viewer_fid })).json().channel
const act = (user: TestUser, method: 'POST' | 'PUT' | 'DELETE' | 'PATCH', path: string, body: object) =>
  send(method, path, { signer_uuid: signers.get(user.fid), channel_id: 'gardens', ...body })
const members = async () => {
  const { members } = (await get('channel/member/list', { channel_id: 'gardens' })).json()
  return members
    .map(({ role, user }: { role: string; user: { fid: number } }) => `${user.fid} ${role}`)
    .sort()
}
const feed = async () => {
  const reply = await get('feed/channels', { channel_ids: 'gardens', members_only: false })
  return reply.json().casts.map(({ text }: { text: string }) => text)
}
const hex = (hash: Buffer) => `0x${hash.toString('hex')}`
/** The channel's name as the channel of a cast, in the text of another, and in the bio of a user. */
const channelNamesIn = async (messages: readonly SignedMessage[], fid: number) => {
  const { casts } = (await get('casts', { casts: messages.map(({ hash }) => hex(hash)).join(',') })).json()
    .result
  const { users } = (await get('user/bulk', { fids: fid })).json()
  return [
    casts[0].channel.name,
    casts[1].mentioned_channels[0].name,
    users[0].profile.bio.mentioned_channels[0].name,
  ]
}

it('a registered channel is led by who verified its address; imported people end, the rest stays', async () => {
  expect(await channel()).toMatchObject({
    id: 'gardens',
    name: 'Imported',
    description: 'of the client',
    lead: { fid: 1 },
    moderator_fids: [],
    member_count: 1,
    follower_count: 1,
    external_link: { title: 'Seeds', url: 'https://seeds.example' },
    viewer_context: { following: false, role: 'owner' },
  })
  expect(await members()).toEqual(['1 owner'])
})

it('metadata, pins, members and moderation from messages are on the pages at once', async () => {
  const [shown, hidden] = [
    stranger.cast('shown', testNow - 9, { parentUrl: url }),
    stranger.cast('hidden', testNow - 8, { parentUrl: url }),
  ]
  const banned = heir.cast('of a banned user', testNow - 7, { parentUrl: url })
  const memberBody = (fid: number, action: ChannelMemberAction) => ({
    type: MessageType.CHANNEL_MEMBER,
    channelMemberBody: { channelId, fid, action },
  })
  const mentioning = member.cast('in /gardens', testNow - 9)
  await submit(shown, hidden, banned, mentioning)
  await submit(member.userData(UserDataType.BIO, 'of /gardens', testNow - 9))
  expect(await feed()).toEqual(['of a banned user', 'hidden', 'shown'])
  const namesInViews = () => channelNamesIn([shown, mentioning], 3)
  expect(await namesInViews()).toEqual(['Imported', 'Imported', 'Imported'])
  const channelUpdateBody = {
    channelId,
    name: 'Gardens',
    description: 'What grows',
    imageUrl: 'https://gardens.example/rose.png',
    castingMode: 0,
    membershipMode: MembershipMode.OPEN,
  }
  await submit(
    owner.message({ type: MessageType.CHANNEL_UPDATE, channelUpdateBody }, testNow - 6),
    owner.message(
      { type: MessageType.CHANNEL_PIN, channelPinBody: { channelId, castHash: shown.hash } },
      testNow,
    ),
    owner.message(memberBody(2, ChannelMemberAction.ADD_MODERATOR), testNow - 5),
    owner.message(memberBody(5, ChannelMemberAction.BAN), testNow - 5),
  )
  await submit(
    mod.message(
      {
        type: MessageType.CHANNEL_MODERATE,
        channelModerateBody: { channelId, castHash: hidden.hash, action: ChannelModerateAction.HIDE },
      },
      testNow - 4,
    ),
  )
  expect(await feed()).toEqual(['shown'])
  expect(await namesInViews()).toEqual(['Gardens', 'Gardens', 'Gardens'])
  expect(await channel(2)).toMatchObject({
    name: 'Gardens',
    description: 'What grows',
    image_url: 'https://gardens.example/rose.png',
    pinned_cast_hash: hex(shown.hash),
    moderator_fids: [2],
    member_count: 2,
    viewer_context: { role: 'moderator' },
  })
  await submit(
    mod.message(
      {
        type: MessageType.CHANNEL_MODERATE,
        channelModerateBody: { channelId, castHash: hidden.hash, action: ChannelModerateAction.UNHIDE },
      },
      testNow - 3,
    ),
    mod.message(memberBody(5, ChannelMemberAction.UNBAN), testNow - 3),
  )
  expect(await feed()).toEqual(['of a banned user', 'hidden', 'shown'])
})

it('member operations publish messages, and the protocol judges them', async () => {
  const invite = (user: TestUser, fid: number, role = 'member') =>
    act(user, 'POST', 'channel/member/invite', { fid, role })
  const remove = (user: TestUser, fid: number, role = 'member') =>
    act(user, 'DELETE', 'channel/member', { fid, role })
  expect((await invite(stranger, 3)).statusCode).toBe(403)
  expect((await invite(mod, 99)).statusCode).toBe(404)
  expect((await invite(mod, 3)).json()).toEqual({ success: true, message: 'now a member' })
  expect((await invite(mod, 3)).json()).toMatchObject({ message: 'this user is member already' })
  expect((await invite(stranger, 3)).statusCode).toBe(403)
  expect((await invite(mod, 3, 'moderator')).statusCode).toBe(403)
  expect((await invite(owner, 3, 'moderator')).statusCode).toBe(200)
  const asOwner = await invite(owner, 3, 'owner')
  expect([asOwner.statusCode, asOwner.json().property]).toEqual([400, 'role'])
  expect((await invite(mod, 3, 'moderator')).statusCode).toBe(403)
  expect((await invite(owner, 3, 'moderator')).json()).toMatchObject({
    message: 'this user is moderator already',
  })
  expect(await members()).toEqual(['1 owner', '2 moderator', '3 moderator'])
  expect((await remove(owner, 3, 'moderator')).json()).toMatchObject({ message: 'no moderator any more' })
  expect(await members()).toEqual(['1 owner', '2 moderator', '3 member'])
  expect((await invite(owner, 3, 'moderator')).statusCode).toBe(200)
  expect((await remove(mod, 3)).statusCode).toBe(403)
  expect((await remove(owner, 3)).json()).toMatchObject({ message: 'removed from the channel' })
  expect((await remove(owner, 3)).statusCode).toBe(404)
  expect((await remove(mod, 1)).statusCode).toBe(403)
  const answer = (accept: boolean, role = 'member') =>
    act(member, 'PUT', 'channel/member/invite', { role, accept })
  expect((await answer(true)).json()).toMatchObject({ message: 'now a member' })
  expect((await remove(stranger, 3)).statusCode).toBe(403)
  expect((await answer(true, 'moderator')).statusCode).toBe(404)
  const asModerator = { role: 'moderator', accept: true }
  expect((await act(mod, 'PUT', 'channel/member/invite', asModerator)).json()).toMatchObject({
    message: 'this user is moderator already',
  })
  expect((await remove(mod, 3)).json()).toMatchObject({ message: 'removed from the channel' })
  expect((await answer(true)).json()).toMatchObject({ message: 'now a member' })
  expect(await members()).toEqual(['1 owner', '2 moderator', '3 member'])
  expect((await channel(3)).viewer_context).toEqual({ following: false, role: 'member' })
  expect((await answer(false)).json()).toMatchObject({ message: 'left the channel' })
  expect((await get('user/memberships/list', { fid: 3 })).json().members).toEqual([])
  const [stored] = await db<{ state: number }[]>`
    select state from hub.channel_messages where type = 19 and key = '\\x00000003'`
  expect(stored).toEqual({ state: 3 })
})

it('who rejects a role leaves, a moderator too; nobody leaves for a role that they do not have', async () => {
  const appoint = (role: string) => act(owner, 'POST', 'channel/member/invite', { fid: 5, role })
  const reject = () => act(heir, 'PUT', 'channel/member/invite', { role: 'moderator', accept: false })
  const asOwner = await act(owner, 'PUT', 'channel/member/invite', { role: 'moderator', accept: false })
  expect(asOwner.json()).toMatchObject({ message: 'the owner cannot be removed' })
  expect((await appoint('member')).statusCode).toBe(200)
  expect((await reject()).json()).toMatchObject({ message: 'this user is no moderator' })
  expect(await members()).toContain('5 member')
  expect((await appoint('moderator')).statusCode).toBe(200)
  expect((await act(heir, 'DELETE', 'channel/member', { fid: 5, role: 'moderator' })).statusCode).toBe(403)
  expect((await reject()).json()).toEqual({ success: true, message: 'left the channel' })
  expect(await members()).toEqual(['1 owner', '2 moderator'])
})

it('moderation operations publish messages; a channel of no registry has none', async () => {
  const cast = stranger.cast('a nuisance', testNow - 2, { parentUrl: url })
  await submit(cast)
  const isShown = async () => (await feed()).includes('a nuisance')
  const moderate = (user: TestUser, method: 'POST' | 'DELETE', path: string, body: object) =>
    act(user, method, `channel/${path}`, body)
  const hash = { cast_hash: hex(cast.hash) }
  expect((await moderate(stranger, 'POST', 'hide', hash)).statusCode).toBe(403)
  expect((await moderate(mod, 'POST', 'hide', hash)).json()).toEqual({ success: true, message: 'hidden' })
  expect(await isShown()).toBe(false)
  expect((await moderate(mod, 'DELETE', 'hide', hash)).statusCode).toBe(200)
  expect(await isShown()).toBe(true)
  expect((await moderate(mod, 'POST', 'ban', { fid: 1 })).statusCode).toBe(403)
  expect((await moderate(mod, 'POST', 'ban', { fid: 4 })).json()).toMatchObject({ message: 'banned' })
  expect(await isShown()).toBe(false)
  expect((await act(mod, 'POST', 'channel/member/invite', { fid: 4, role: 'member' })).statusCode).toBe(403)
  expect((await moderate(mod, 'DELETE', 'ban', { fid: 4 })).statusCode).toBe(200)
  expect((await moderate(mod, 'DELETE', 'ban', { fid: 4 })).statusCode).toBe(409)
  expect(await isShown()).toBe(true)
  await importChannel(db, { id: 'plain', lead_fid: 2 }, testNowUnix)
  expect((await moderate(mod, 'POST', 'ban', { channel_id: 'plain', fid: 4 })).statusCode).toBe(400)
  expect((await moderate(mod, 'POST', 'ban', { channel_id: 'none', fid: 4 })).statusCode).toBe(404)
})

it('PATCH channel publishes metadata and pins, keeps what it does not name, and stores the rest', async () => {
  const edit = (user: TestUser, body: object) => act(user, 'PATCH', 'channel', body)
  expect((await edit(stranger, { name: 'Mine' })).statusCode).toBe(403)
  expect((await edit(mod, { pinned_cast_hash: null })).statusCode).toBe(200)
  const edited = await edit(owner, { name: 'Parks', url: 'https://parks.example' })
  expect(edited.json().channel).toMatchObject({
    name: 'Parks',
    description: 'What grows',
    url: 'https://parks.example',
    image_url: 'https://gardens.example/rose.png',
  })
  expect(edited.json().channel.pinned_cast_hash).toBeUndefined()
  expect((await edit(owner, { image_url: null })).json().channel).not.toHaveProperty('image_url')
  expect((await edit(mod, { url: 'https://other.example' })).statusCode).toBe(403)
  expect((await act(owner, 'POST', 'channel', { name: 'Again' })).statusCode).toBe(409)
})

it('PATCH channel publishes nothing of a request that it refuses', async () => {
  const messages = () => db`select count(*) as count from hub.channel_messages`
  const pins = () => db`select message from hub.channel_messages where type = ${MessageType.CHANNEL_PIN}`
  const before = [await messages(), await pins()]
  const edit = (body: object) => act(mod, 'PATCH', 'channel', body)
  const cast = mod.cast('to be pinned', testNow - 1, { parentUrl: url })
  await submit(cast)
  const pinned_cast_hash = hex(cast.hash)
  expect((await edit({ pinned_cast_hash, url: 'https://other.example' })).statusCode).toBe(403)
  expect(await channel()).not.toHaveProperty('pinned_cast_hash')
  expect([await messages(), await pins()]).toEqual(before)
})

it('a follow is a like of the channel: by message or operation, beside imported follows', async () => {
  const followers = async () =>
    (await get('channel/followers', { id: 'gardens' }))
      .json()
      .users.map((user: { fid: number }) => user.fid)
      .sort()
  const targetUrl = channelUrl(3, channelId)!
  await submit(
    member.message({ type: MessageType.REACTION_ADD, reactionBody: { type: 1, targetUrl } }, testNow - 9),
    mod.message({ type: MessageType.REACTION_ADD, reactionBody: { type: 2, targetUrl } }, testNow - 9),
  )
  expect(await followers()).toEqual([3, 5])
  expect((await act(stranger, 'POST', 'channel/follow', {})).statusCode).toBe(200)
  expect(await followers()).toEqual([3, 4, 5])
  expect((await channel(4)).viewer_context.following).toBe(true)
  // An import replaces its own follows only.
  await importChannel(db, { id: 'gardens', followers: [] }, testNowUnix)
  expect(await followers()).toEqual([3, 4])
  expect((await act(member, 'DELETE', 'channel/follow', {})).statusCode).toBe(200)
  expect(await followers()).toEqual([4])
  expect((await channel()).follower_count).toBe(1)
  const likes = () => db`select count(*) from hub.messages where fid = ${mod.fid} and set = 2`
  const before = await likes()
  expect((await act(mod, 'DELETE', 'channel/follow', {})).statusCode).toBe(200)
  expect(await likes()).toEqual(before)
})

it('an import leaves alone what messages decide, and an edit of it is refused by name', async () => {
  const pinned_cast_hash = hex(Buffer.alloc(20, 0xab))
  const lead = { id: 'gardens', name: 'Other', lead_fid: 4, moderator_fids: [4], pinned_cast_hash }
  expect(await importChannel(db, { ...lead, url: 'https://new.example' }, testNowUnix)).toBeNull()
  hydrator.invalidation.apply({ tags: ['*'] })
  expect(await channel()).toMatchObject({ name: 'Parks', lead: { fid: 1 }, url: 'https://new.example' })
  expect(await channel()).not.toHaveProperty('pinned_cast_hash')
  expect(await members()).toEqual(['1 owner', '2 moderator'])
  expect(await importChannel(db, { id: 'gardens', name: 'Other' }, testNowUnix, { mode: 'edit' })).toBe(
    'name of gardens is decided by messages of the protocol',
  )
})

it('a replay rebuilds the same', async () => {
  const tables = ['channels', 'members', 'follows', 'hidden_casts', 'bans', 'urls']
  const rows = async () =>
    Promise.all(tables.map((table) => db`select t::text from ${db(`channels.${table}`)} t order by 1`))
  const before = await rows()
  await db`update channels.channels set lead_fid = 5, name = 'wrong' where id = 'gardens'`
  await db`delete from channels.members`
  await db`insert into channels.bans (channel_id, fid) values ('gardens', 3)`
  await replay(db, { shards: 2 })
  expect(await rows()).toEqual(before)
})

it('a transfer parks the channel until somebody verifies the new address', async () => {
  await hub.submitOnChainEvents([channelTransfer('gardens', heirAddress, { block: 11 })])
  expect((await channel()).lead).toBeUndefined()
  expect((await act(mod, 'POST', 'channel/member/invite', { fid: 3, role: 'member' })).statusCode).toBe(403)
  for (const method of ['POST', 'DELETE'] as const) {
    const path = method === 'POST' ? 'channel/member/invite' : 'channel/member'
    expect((await act(mod, method, path, { fid: 0, role: 'member' })).statusCode, 'nobody').toBe(404)
  }
  await submit(verification(heir, heirAddress, testNow))
  expect(await channel()).toMatchObject({ lead: { fid: 5 }, moderator_fids: [2], member_count: 2 })
})

it('a channel that only the registry has is shown with its key, and one with another key is not', async () => {
  await hub.submitOnChainEvents([
    channelRegistration('parks', ownerAddress, { block: 20 }),
    channelRegistration('A channel!', ownerAddress, { block: 21 }),
  ])
  const found = (await get('channel/bulk', { ids: 'parks,A channel!' })).json().channels
  expect(found).toMatchObject([
    {
      id: 'parks',
      name: 'parks',
      lead: { fid: 1 },
      parent_url: 'https://farcaster.xyz/~/channel/parks',
      created_at: new Date((testNowUnix - 5_000 + 20) * 1000).toISOString(),
    },
  ])
})

it('the first metadata by message keeps the rest of what was imported', async () => {
  const image_url = 'https://parks.example/oak.png'
  const imported = { id: 'parks', description: 'Old trees', image_url }
  expect(await importChannel(db, imported, testNowUnix)).toBeNull()
  const edited = await act(owner, 'PATCH', 'channel', { channel_id: 'parks', name: 'Parks' })
  expect(edited.json().channel).toMatchObject({ name: 'Parks', description: 'Old trees', image_url })
  const described = await act(owner, 'PATCH', 'channel', { channel_id: 'parks', description: 'Oaks' })
  expect(described.json().channel).toMatchObject({ name: 'Parks', description: 'Oaks', image_url })
})

it('of several edits of the metadata at once each keeps what the others have changed', async () => {
  const edits = [
    { name: 'Glades' },
    { description: 'Birches' },
    { image_url: 'https://parks.example/birch.png' },
  ]
  const replies = await Promise.all(
    edits.map((edit) => act(owner, 'PATCH', 'channel', { channel_id: 'parks', ...edit })),
  )
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  const { channel: shown } = (await get('channel', { id: 'parks' })).json()
  expect(shown).toMatchObject(Object.assign({}, ...edits))
})

it('the first metadata by message keeps imported mentions and the header', async () => {
  await hub.submitNameTransfers([nameTransfer('rose', 3, testNowUnix - 900)])
  await submit(member.userData(UserDataType.USERNAME, 'rose', testNow - 800))
  await hub.submitOnChainEvents([channelRegistration('orchard', ownerAddress, { block: 22 })])
  const imported = {
    id: 'orchard',
    description: 'by  and ',
    description_mentions: [3, 99],
    description_mention_positions: [3, 8],
    header_image_url: 'https://orchard.example/header.png',
  }
  expect(await importChannel(db, imported, testNowUnix)).toBeNull()
  const edited = await act(owner, 'PATCH', 'channel', { channel_id: 'orchard', name: 'Orchard' })
  expect(edited.json().channel).toMatchObject({ name: 'Orchard', description: 'by @rose and @!99' })
  const [stored] = await db`select header_image_url from channels.channels where id = 'orchard'`
  expect(stored).toEqual({ header_image_url: imported.header_image_url })
})

it('a description from a message mentions whoever has the name', async () => {
  const mentioned = async () => {
    const shown = (await get('channel', { id: 'orchard' })).json().channel
    expect(shown.description).toBe('by @rose and @nobody')
    return shown.description_mentioned_profiles.map(
      ({ fid, username }: { fid: number; username: string }, index: number) => {
        const { start, end } = shown.description_mentioned_profiles_ranges[index]
        return [fid, username, shown.description.slice(start, end)]
      },
    )
  }
  const edit = { channel_id: 'orchard', description: 'by @rose and @nobody' }
  expect((await act(owner, 'PATCH', 'channel', edit)).statusCode).toBe(200)
  expect(await mentioned()).toEqual([[3, 'rose', '@rose']])
  await hub.submitNameTransfers([nameTransfer('rose', 4, testNowUnix - 700)])
  expect(await mentioned()).toEqual([])
  await submit(stranger.userData(UserDataType.USERNAME, 'rose', testNow - 600))
  expect(await mentioned()).toEqual([[4, 'rose', '@rose']])
})
