import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { cacheTag } from '../../graph/cache/cache-tags.js'
import { uncachedWriter } from '../../graph/cache/invalidation.js'
import { saveChannel } from './channels.js'
import { answerInvite, inviteMember, removeMember } from './membership.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const users = [1, 2].map((fid) => new TestUser(fid))
await hub.submitOnChainEvents(users.flatMap((user) => user.onChain()))
await hub.submit([users[1]!.link(1, testNow)])
const writer = uncachedWriter(db)
await saveChannel(writer, { id: 'gardens', lead_fid: 1 }, testNowUnix)

const request = { channelId: 'gardens', callerFid: 1, fid: 2, role: 'member' } as const
const asModerator = { ...request, role: 'moderator' } as const

it('each change says in words what it did', async () => {
  const invite = (of: typeof request | typeof asModerator) => inviteMember(writer, of, testNowUnix)
  const remove = (of: typeof request | typeof asModerator) => removeMember(writer, of, testNowUnix)
  const answer = (of: typeof request | typeof asModerator, accept: boolean) =>
    answerInvite(writer, { ...of, accept }, testNowUnix)
  expect(await invite(request)).toEqual({ message: 'invited to become member' })
  expect(await invite(request)).toEqual({ message: 'this user is invited already' })
  expect(await remove(request)).toEqual({ message: 'the invite is withdrawn' })
  await invite(request)
  expect(await answer(request, false)).toEqual({ message: 'rejected' })
  await invite(request)
  expect(await answer(request, true)).toEqual({ message: 'accepted: now a member' })
  expect(await invite(asModerator)).toEqual({ message: 'invited to become moderator' })
  expect(await answer(asModerator, true)).toEqual({ message: 'accepted: now a moderator' })
  expect(await remove(asModerator)).toEqual({ message: 'no moderator any more' })
  expect(await remove(request)).toEqual({ message: 'removed from the channel' })
  await invite(request)
  await answer(request, true)
  expect(await removeMember(writer, { ...request, callerFid: 2 }, testNowUnix)).toEqual({
    message: 'left the channel',
  })
})

it('an invite makes no view stale; the change of a member makes those of the channel and the user stale', async () => {
  const stale: string[] = []
  const watched = uncachedWriter(db)
  watched.invalidation.add({ evict: (tags) => stale.push(...tags), empty: () => {} })
  await inviteMember(watched, request, testNowUnix)
  await removeMember(watched, request, testNowUnix)
  await inviteMember(watched, request, testNowUnix)
  expect(stale).toEqual([])
  await answerInvite(watched, { ...request, accept: true }, testNowUnix)
  expect(stale).toEqual([cacheTag.channel('gardens'), cacheTag.channelsOf(2)])
  await removeMember(watched, request, testNowUnix)
  expect(stale).toHaveLength(4)
})

it('an unknown channel has no members to change', async () => {
  for (const change of [inviteMember, removeMember])
    expect(await change(writer, { ...request, channelId: 'nowhere' }, testNowUnix)).toEqual({
      code: 'not_found',
      message: 'there is no such channel',
      property: 'channel_id',
    })
})
