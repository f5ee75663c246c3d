import { expect, it } from 'vitest'
import { channelRegistration } from '../../../test/channel-events.js'
import { addressVerification, TestChannel } from '../../../test/channels.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow } from '../../../test/network.js'
import { ChannelMemberAction, MembershipMode } from '../../protocol/definitions.js'
import { CHANNELS_FID, shardOf } from '../../protocol/shard.js'

const { db } = await createTestDatabase()
const SHARDS = 2
const hub = await createTestHub(db, { shards: SHARDS })
const channel = new TestChannel('gardens')
/** Merges in another shard than the messages of channels. */
const fids = Array.from({ length: 40 }, (_, index) => index + 1)
const verifierFid = fids.find((fid) => shardOf(fid, SHARDS) !== shardOf(CHANNELS_FID, SHARDS))!
const verifier = new TestUser(verifierFid)
const users = fids.filter((fid) => fid !== verifierFid).map((fid) => new TestUser(fid))
const [owner] = users as [TestUser]

async function submit(...messages: Parameters<typeof hub.submit>[0]): Promise<void> {
  expect(await hub.submit(messages, { trusted: true })).toEqual(messages.map(() => null))
}

/** The members by the slots of the channel. */
async function readMembers(): Promise<number[]> {
  const rows = await db<{ fid: number }[]>`
    select ('x' || encode(m.key, 'hex'))::bit(32)::bigint as fid
    from hub.channel_messages m
    where m.type = 19 and m.state in (1, 2)
    order by fid`
  return rows.map(({ fid }) => fid)
}

it('messages and verifications that merge in two shards at once leave what the slots have', async () => {
  await hub.submitOnChainEvents([verifier, ...users].flatMap((user) => user.onChain()))
  await submit(addressVerification(owner, channel.owner, testNow))
  await hub.submitOnChainEvents([channelRegistration('gardens', channel.owner, { block: 1 })])
  await submit(channel.update(owner, { membershipMode: MembershipMode.OPEN }))
  const { ADD_MEMBER, REMOVE_MEMBER } = ChannelMemberAction
  let at = testNow - 5_000
  for (const action of [ADD_MEMBER, REMOVE_MEMBER, ADD_MEMBER, REMOVE_MEMBER]) {
    const changing = users.filter(({ fid }) => fid % 2 === 0 || action === ADD_MEMBER)
    for (const user of changing) {
      at += 1
      // A verification that is older than the owner's changes nothing.
      const merges = [submit(addressVerification(verifier, channel.owner, at))]
      const isMember = action === ADD_MEMBER && (await readMembers()).includes(user.fid)
      if (!isMember) merges.push(submit(channel.member(user, action, user.fid, at)))
      await Promise.all(merges)
    }
  }
  const remaining = users.map(({ fid }) => fid).filter((fid) => fid % 2 === 1)
  expect(await readMembers()).toEqual(remaining)
  const shown = await db<{ fid: number }[]>`select fid from channels.members order by fid`
  // The owner has a slot and no row.
  expect(shown.map(({ fid }) => fid)).toEqual(remaining.filter((fid) => fid !== owner.fid))
  expect(await db`select lead_fid, member_count from channels.channels`).toEqual([
    { lead_fid: owner.fid, member_count: remaining.length },
  ])
})
