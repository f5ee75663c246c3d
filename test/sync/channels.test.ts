import { expect, test } from 'vitest'
import { ChannelMemberAction, HubEventType, MembershipMode } from '../../src/protocol/definitions.js'
import { addressVerification, TestChannel } from '../channels.js'
import { createTestDatabase } from '../database.js'
import { createTestHub } from '../hub.js'
import { openHubGrpc } from '../hub-grpc.js'
import { TestUser, testNow } from '../network.js'
import { startTestSync } from './test-sync.js'

const { ADD_MEMBER, ADD_MODERATOR, REMOVE_MEMBER, BAN } = ChannelMemberAction

test('a follower stores the slots of channels as the upstream, in its order and without its registry', async () => {
  const a = await createTestDatabase()
  const upstream = await createTestHub(a.db, { shards: 2 })
  const { server } = await openHubGrpc(a.db, { hub: upstream, config: { shards: 2 } })
  const b = await createTestDatabase({ poolSize: 8 })
  const follower = await createTestHub(b.db, { shards: 3 })
  await b.db`
    insert into sync.cursors (upstream, shard, next_id, block_time)
    select ${server.address}, shard, 0, 0 from generate_series(1, 2) shard
  `
  const users = [1, 2, 3, 4, 5, 6].map((fid) => new TestUser(fid))
  const [owner, moderator] = users as [TestUser, TestUser]
  const channel = new TestChannel('plaza')
  await channel.register(a.db)
  await upstream.submitOnChainEvents(users.flatMap((user) => user.onChain()))
  const messages = [
    addressVerification(owner, channel.owner),
    channel.update(owner, { membershipMode: MembershipMode.OPEN }),
    channel.member(owner, ADD_MODERATOR, moderator.fid),
    ...users.slice(2).flatMap((user, index) => [
      channel.member(user, ADD_MEMBER),
      // Times go backwards, so only the order of arrival decides.
      channel.pin(index % 2 ? owner : moderator, Buffer.alloc(20, index + 1), testNow - index * 100),
    ]),
    channel.member(users[3]!, REMOVE_MEMBER),
    channel.member(moderator, BAN, 5),
  ]
  for (const message of messages) expect(await upstream.submit([message], { trusted: true })).toEqual([null])

  const { metrics } = startTestSync(b.db, follower, { addresses: [server.address], trusted: true })
  const slots = (db: typeof a.db) => db`select * from hub.channel_messages order by channel_id, type, key`
  await expect.poll(() => slots(b.db), { interval: 200 }).toEqual(await slots(a.db))
  const order = (db: typeof a.db) => db`
    select fid, position(${channel.id}::bytea in event) > 0 as channel
    from hub.events
    where type = ${HubEventType.MERGE_MESSAGE} and position(${channel.id}::bytea in event) > 0
    order by shard, id
  `
  expect(await order(b.db)).toEqual(await order(a.db))
  expect(metrics.items.refused ?? 0).toBe(0)
})
