import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { channelIdOf, channelUrl } from '../../protocol/channel-uri.js'
import { FarcasterNetwork } from '../../protocol/definitions.js'
import { rebuildChannelFollows } from './channel-follows.js'

const { db } = await createTestDatabase()
const channelId = channelIdOf('gardens')
const url = channelUrl(FarcasterNetwork.DEVNET, channelId)!

beforeEach(async () => {
  await db`truncate channels.channels cascade`
  await db`truncate social.url_reactions, hub.settings`
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, protocol_id)
    values ('gardens', ${url}, ${url}, 'Gardens', 1, 1700000000, ${channelId})`
  await db`insert into social.url_reactions (fid, type, url, ts) values (1, 1, ${url}, 100), (2, 1, ${url}, 200)`
})

async function rebuild(network: FarcasterNetwork) {
  await db`
    insert into hub.settings (name, value) values ('network', ${network}::integer::text::jsonb)
    on conflict (name) do update set value = excluded.value`
  await db.begin((transaction) => rebuildChannelFollows(transaction, [channelId]))
  return await db`
    select fid, by_message, f.xmin::text as "writtenBy" from channels.follows f order by fid`
}
const followerCount = async () => (await db`select follower_count from channels.channels`)[0]!.follower_count

test('a rebuild writes the follows that have changed, and no other', async () => {
  const before = await rebuild(FarcasterNetwork.DEVNET)
  expect(before).toMatchObject([
    { fid: 1, by_message: true },
    { fid: 2, by_message: true },
  ])
  await db`update social.url_reactions set ts = 150 where fid = 1`
  await db`insert into social.url_reactions (fid, type, url, ts) values (3, 1, ${url}, 300)`
  await db`insert into channels.follows (channel_id, fid, followed_at) values ('gardens', 3, 1), ('gardens', 4, 1)`
  await db`update channels.channels set follower_count = 4`
  const after = await rebuild(FarcasterNetwork.DEVNET)
  expect(after.map(({ fid, by_message }) => [fid, by_message])).toEqual([
    [1, true],
    [2, true],
    [3, true],
    [4, false],
  ])
  expect(after[0]!.writtenBy).not.toBe(before[0]!.writtenBy)
  expect(after[1]).toEqual(before[1])
  expect(await followerCount()).toBe(4)
  const locks = await db`select xmax::text from channels.follows where fid = 2`
  expect(locks).toEqual([{ xmax: '0' }])
})

test('a like of a time before engine V21 is no follow', async () => {
  expect(await rebuild(FarcasterNetwork.TESTNET)).toEqual([])
  expect(await followerCount()).toBe(0)
})
