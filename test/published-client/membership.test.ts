import type { NeynarAPIClient } from '@neynar/nodejs-sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { createApiKey } from '../../src/features/apps/api-keys.js'
import { ensureApp } from '../../src/features/apps/apps.js'
import { saveChannel } from '../../src/features/channels/channels.js'
import { createSigner } from '../../src/features/signers/signer-record.js'
import {
  approvedSigner,
  revokeSigner,
  testVault,
} from '../../src/features/signers/testing/approved-signer.js'
import { uncachedWriter } from '../../src/graph/cache/invalidation.js'
import { TestUser, testNow, testNowUnix } from '../network.js'
import { refusalOf } from './error-of-call.js'
import { connectClient, serveApi } from './served-api.js'

const { hub, client, db, url } = await serveApi()
const appId = await ensureApp(db, 'test')
const users = [1, 2, 3, 4].map((fid) => new TestUser(fid)) as [TestUser, TestUser, TestUser, TestUser]
const [owner, guest, other, stranger] = users
const channelId = 'gardens'

await hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
await hub.submit([other.link(owner.fid, testNow)])
const signerOf = new Map(
  await Promise.all(
    users.map(async (user) => [user, (await approvedSigner({ db, hub }, user, { appId })).id] as const),
  ),
)
await saveChannel(
  uncachedWriter(db),
  { id: channelId, name: 'Gardens', lead_fid: owner.fid, followers: [{ fid: guest.fid, followed_at: 1 }] },
  testNowUnix,
)

type Role = 'member' | 'moderator' | 'owner'

const invite = (by: TestUser, user: TestUser, role: Role = 'member') =>
  client.inviteChannelMember({ channelId, fid: user.fid, role, signerUuid: signerOf.get(by)! })
const answer = (by: TestUser, accept: boolean, role: Role = 'member') =>
  client.respondChannelInvite({ channelId, accept, role, signerUuid: signerOf.get(by)! })
const remove = (by: TestUser, user: TestUser, role: Role = 'member') =>
  client.removeChannelMember({ channelId, fid: user.fid, role, signerUuid: signerOf.get(by)! })
const membersOf = async () =>
  (await client.fetchChannelMembers({ channelId })).members.map(({ user, role }) => [user.fid, role])

it('invites, lists the invite, and takes the answer', async () => {
  expect(await invite(owner, guest)).toEqual({ success: true, message: 'invited to become member' })
  expect(await invite(owner, guest)).toEqual({ success: true, message: 'this user is invited already' })
  const open = {
    channel_id: channelId,
    role: 'member',
    inviter: { object: 'user', fid: owner.fid },
    invited: { object: 'user', fid: guest.fid },
  }
  for (const query of [{ channelId }, { invitedFid: guest.fid }, { channelId, invitedFid: guest.fid }]) {
    expect(await client.fetchChannelInvites(query)).toMatchObject({ invites: [open], next: { cursor: null } })
  }
  expect(await membersOf()).toEqual([[owner.fid, 'owner']])

  expect(await answer(guest, true)).toMatchObject({ success: true })
  expect((await client.fetchChannelInvites({ channelId })).invites).toEqual([])
  expect(await membersOf()).toEqual([
    [guest.fid, 'member'],
    [owner.fid, 'owner'],
  ])
})

it('shows who belongs to a channel, and to which channels one belongs', async () => {
  const one = await client.fetchChannelMembers({ channelId, fid: guest.fid })
  expect(one.members).toMatchObject([
    {
      object: 'member',
      role: 'member',
      user: { object: 'user', fid: guest.fid },
      channel: { object: 'channel_dehydrated', id: channelId, name: 'Gardens' },
    },
  ])
  expect((await client.fetchChannelMembers({ channelId, fid: stranger.fid })).members).toEqual([])
  const page = await client.fetchChannelMembers({ channelId, limit: 1 })
  const rest = await client.fetchChannelMembers({ channelId, limit: 1, cursor: page.next.cursor! })
  expect([...page.members, ...rest.members].map(({ user }) => user.fid)).toEqual([guest.fid, owner.fid])
  expect(rest.next.cursor).toBeNull()
  for (const [user, role] of [
    [owner, 'owner'],
    [guest, 'member'],
  ] as const) {
    const { members } = await client.fetchUserChannelMemberships({ fid: user.fid })
    expect(members).toMatchObject([
      {
        role,
        user: { object: 'user_dehydrated', fid: user.fid },
        channel: { object: 'channel', id: channelId, member_count: 2 },
      },
    ])
  }
})

it('appoints a moderator, who steps down', async () => {
  await invite(owner, guest, 'moderator')
  await answer(guest, true, 'moderator')
  const { channel } = await client.lookupChannel({ id: channelId, viewerFid: guest.fid })
  expect(channel).toMatchObject({
    member_count: 2,
    moderator_fids: [guest.fid],
    viewer_context: { following: true, role: 'moderator' },
  })
  expect(await remove(guest, guest, 'moderator')).toMatchObject({ message: 'no moderator any more' })
  expect((await client.lookupChannel({ id: channelId })).channel.moderator_fids).toEqual([])
})

it('withdraws an invite, removes a member, and lets one leave', async () => {
  await invite(owner, other)
  expect(await remove(owner, other)).toMatchObject({ message: 'the invite is withdrawn' })
  expect(await remove(owner, guest)).toMatchObject({ message: 'removed from the channel' })
  expect(await membersOf()).toEqual([[owner.fid, 'owner']])
  await invite(owner, guest)
  await answer(guest, true)
  expect(await remove(guest, guest)).toMatchObject({ message: 'left the channel' })
})

describe('what is refused', () => {
  beforeAll(async () => {
    await invite(owner, guest)
    await answer(guest, true)
    await invite(owner, other)
    await answer(other, false)
  })

  it.each([
    ['an invite by a member', () => invite(guest, other), [403, 'Forbidden', undefined]],
    ['an invite by a stranger', () => invite(stranger, other), [403, 'Forbidden', undefined]],
    ['an invite of who follows neither', () => invite(owner, stranger), [400, 'InvalidField', 'fid']],
    ['a moderator who is no member', () => invite(owner, other, 'moderator'), [400, 'InvalidField', 'fid']],
    ['a second owner', () => invite(owner, guest, 'owner'), [400, 'InvalidField', 'role']],
    ['nobody', () => invite(owner, new TestUser(999)), [404, 'NotFound', 'fid']],
    ['a second answer', () => answer(other, true), [409, 'Conflict', undefined]],
    ['the same answer again', () => answer(other, false), [409, 'Conflict', undefined]],
    ['an answer to no invite', () => answer(stranger, true), [404, 'NotFound', undefined]],
    ['an answer for another role', () => answer(guest, true, 'moderator'), [404, 'NotFound', undefined]],
    ['an owner by answer', () => answer(guest, true, 'owner'), [400, 'InvalidField', 'role']],
    ['a removal by a member', () => remove(guest, other), [403, 'Forbidden', undefined]],
    ['a removal of the owner', () => remove(owner, owner), [403, 'Forbidden', undefined]],
    ['a removal of the owner as such', () => remove(owner, owner, 'owner'), [400, 'InvalidField', 'role']],
    ['a removal of who is not there', () => remove(owner, stranger), [404, 'NotFound', 'fid']],
    [
      'another channel',
      () => client.removeChannelMember({ ...query(), channelId: 'none' }),
      [404, 'NotFound', 'channel_id'],
    ],
    [
      'invites of nobody in particular',
      () => client.fetchChannelInvites({}),
      [400, 'InvalidField', 'channel_id'],
    ],
    [
      'invites to no channel',
      () => client.fetchChannelInvites({ channelId: 'none' }),
      [404, 'NotFound', 'channel_id'],
    ],
    [
      'members of no channel',
      () => client.fetchChannelMembers({ channelId: 'none' }),
      [404, 'NotFound', 'channel_id'],
    ],
  ] as const)('%s', async (_, call, refusal) => {
    expect(await refusalOf(call())).toEqual(refusal)
  })
})

const query = () => ({
  channelId,
  fid: guest.fid,
  role: 'member' as const,
  signerUuid: signerOf.get(owner)!,
})

const acting = (by: NeynarAPIClient, signerUuid: string) => [
  by.inviteChannelMember({ ...query(), signerUuid }),
  by.respondChannelInvite({ channelId, role: 'member', accept: true, signerUuid }),
  by.removeChannelMember({ ...query(), signerUuid }),
]

describe('who may not act', () => {
  const otherApp = async () =>
    connectClient(url, (await createApiKey(db, { appId: await ensureApp(db, 'two') })).key)
  const revoked = async () => {
    const signer = await approvedSigner({ db, hub }, owner, { appId })
    await revokeSigner(hub, owner, signer)
    return signer.id
  }
  const reading = async () =>
    (await approvedSigner({ db, hub }, owner, { appId, permissions: ['READ_ONLY'] })).id

  it.each([
    [
      'without a key',
      async () => acting(connectClient(url, ''), signerOf.get(owner)!),
      [401, 'Unauthorized', undefined],
    ],
    [
      'with a wrong key',
      async () => acting(connectClient(url, 'wrong'), signerOf.get(owner)!),
      [401, 'Unauthorized', undefined],
    ],
    [
      'with another app’s signer',
      async () => acting(await otherApp(), signerOf.get(owner)!),
      [403, 'SignerOfAnotherApp', 'signer_uuid'],
    ],
    [
      'with a signer that is not approved',
      async () => acting(client, (await createSigner({ db, vault: testVault }, appId)).id),
      [403, 'SignerNotApproved', 'signer_uuid'],
    ],
    [
      'with one that was revoked',
      async () => acting(client, await revoked()),
      [403, 'SignerRevoked', 'signer_uuid'],
    ],
    [
      'with one that may only read',
      async () => acting(client, await reading()),
      [403, 'PermissionMissing', 'signer_uuid'],
    ],
    [
      'with one that there is not',
      async () => acting(client, '00000000-0000-4000-8000-000000000000'),
      [404, 'NotFound', 'signer_uuid'],
    ],
  ] as const)('%s', async (_, calls, refusal) => {
    const refusals = await Promise.all((await calls()).map(refusalOf))
    expect(refusals).toEqual([refusal, refusal, refusal])
  })
})
