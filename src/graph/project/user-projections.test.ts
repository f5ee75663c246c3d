import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testKey, testNow, testNowUnix } from '../../../test/network.js'
import { ensurePartitions } from '../../hub/log/partitions.js'
import { mergeBatch } from '../../hub/merge/merge.js'
import {
  HubEventType,
  MessageType,
  type OnChainEvent,
  Protocol,
  ReactionType,
  TierType,
  UserDataType,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { removeCompacted } from './links.js'
import { projectEvents, projectInto } from './project.js'
import { merged, project, pruned } from './testing/project-messages.js'
import { readModelTables } from './testing/read-model.js'

const { db } = await createTestDatabase()
const alice = new TestUser(1)
const bob = new TestUser(2)
const carol = new TestUser(3)
const hubTables = ['events', 'onchain_events', 'fids', 'signers', 'storage_rents', 'shards']

beforeEach(async () => {
  const tables = [
    ...hubTables.map((name) => `hub.${name}`),
    ...readModelTables.map((name) => `social.${name}`),
  ]
  await db.unsafe(
    `${tables.map((name) => `delete from ${name};`).join('')} insert into hub.shards (shard) values (1)`,
  )
  await ensurePartitions(db, testNowUnix * 1000)
  await onChain(...[alice, bob, carol].flatMap((user) => user.onChain()))
})

async function onChain(...chainEvents: OnChainEvent[]): Promise<void> {
  const batch = { messages: [], chainEvents, nameTransfers: [] }
  await mergeBatch(db, 1, batch, { shards: 1, hooks: [projectEvents] }, testNowUnix * 1000)
}

async function rows(table: string): Promise<object[]> {
  const found = await db.unsafe<Record<string, unknown>[]>(`select * from social.${table} order by 1, 2`)
  // The time of the merge is of no interest.
  return found.map(({ merged_at: _, ...row }) => row)
}

test('likes and recasts are stored and counted by their cast', async () => {
  const cast = alice.cast('cast', testNow)
  const like = bob.react(cast, testNow - 2)
  const recast = bob.react(cast, testNow - 1, { type: ReactionType.RECAST })
  const other = carol.react(cast, testNow)
  const counted = { hash: cast.hash, fid: 1, likes: 0, recasts: 0, replies: 0, quotes: 0 }
  await project(db, ...merged(like, recast, other))
  await project(db, ...merged(like))
  expect(await rows('reactions')).toEqual([
    { fid: 2, type: 1, target_hash: cast.hash, target_fid: 1, ts: testNow - 2, signer: like.signer },
    { fid: 2, type: 2, target_hash: cast.hash, target_fid: 1, ts: testNow - 1, signer: recast.signer },
    { fid: 3, type: 1, target_hash: cast.hash, target_fid: 1, ts: testNow, signer: other.signer },
  ])
  expect(await rows('cast_counts')).toEqual([{ ...counted, likes: 2, recasts: 1 }])
  await project(db, ...pruned(like, bob.react(bob.cast('never liked', testNow), testNow)))
  expect(await rows('cast_counts')).toEqual([{ ...counted, likes: 1, recasts: 1 }])
  await project(db, ...pruned(recast, other))
  expect([await rows('reactions'), await rows('cast_counts')]).toEqual([[], []])
})

test('reactions to URLs are stored apart and count for no cast', async () => {
  const reaction = (user: TestUser, url: string, type = ReactionType.LIKE) =>
    user.message({ type: MessageType.REACTION_ADD, reactionBody: { type, targetUrl: url } }, testNow)
  const [like, recast] = [
    reaction(alice, 'https://a.b/\0'),
    reaction(alice, 'https://a.b/\0', ReactionType.RECAST),
  ]
  await project(db, ...merged(like, recast, reaction(bob, 'https://c.d')))
  expect(await rows('url_reactions')).toEqual([
    { fid: 1, type: 1, url: 'https://a.b/ ', ts: testNow },
    { fid: 1, type: 2, url: 'https://a.b/ ', ts: testNow },
    { fid: 2, type: 1, url: 'https://c.d', ts: testNow },
  ])
  await project(db, ...pruned(like))
  expect(await rows('url_reactions')).toMatchObject([{ type: 2 }, { fid: 2 }])
  expect([await rows('reactions'), await rows('cast_counts')]).toEqual([[], []])
})

test('follows are stored and counted in both directions', async () => {
  const follows = [alice.link(2, testNow), alice.link(3, testNow), bob.link(1, testNow), bob.link(2, testNow)]
  await project(db, ...merged(...follows))
  await project(db, ...merged(follows[0]!))
  expect(await rows('follows')).toMatchObject([
    { fid: 1, target_fid: 2, ts: testNow, signer: alice.key.publicKey },
    { fid: 1, target_fid: 3 },
    { fid: 2, target_fid: 1 },
    { fid: 2, target_fid: 2 },
  ])
  expect(await rows('user_counts')).toEqual([
    { fid: 1, follower_count: 1, following_count: 2 },
    { fid: 2, follower_count: 2, following_count: 2 },
    { fid: 3, follower_count: 1, following_count: 0 },
  ])
  await project(
    db,
    ...pruned(follows[1]!, follows[1]!, alice.link(9, testNow)),
    ...merged(carol.link(1, testNow)),
  )
  expect(await rows('user_counts')).toEqual([
    { fid: 1, follower_count: 2, following_count: 1 },
    { fid: 2, follower_count: 2, following_count: 2 },
    { fid: 3, follower_count: 0, following_count: 1 },
  ])
  await project(db, ...pruned(...follows, carol.link(1, testNow)))
  expect([await rows('follows'), await rows('user_counts')]).toEqual([[], []])
})

test('blocks and other link types are not follows', async () => {
  const links = ['block', 'follow', 'other'].map((type, n) => alice.link(2 + n, testNow, { type }))
  await project(db, ...merged(...links))
  expect(await rows('blocks')).toEqual([{ fid: 1, target_fid: 2, ts: testNow }])
  expect(await rows('follows')).toMatchObject([{ fid: 1, target_fid: 3 }])
  await project(db, ...pruned(alice.link(3, testNow, { type: 'block' }), alice.link(2, testNow)))
  expect([await rows('blocks'), await rows('follows')]).toMatchObject([[{}], [{}]])
  await project(db, ...pruned(...links))
  expect([await rows('blocks'), await rows('follows')]).toEqual([[], []])
})

test('a compact state keeps what it lists and what is newer, of its own link type', async () => {
  const links = ['follow', 'block'].flatMap((type) => [
    alice.link(2, testNow - 5, { type }),
    alice.link(3, testNow - 5, { type }),
    alice.link(4, testNow - 4, { type }),
    bob.link(2, testNow - 5, { type }),
  ])
  await project(db, ...merged(...links))
  const targets = async (table: string) =>
    (await db.unsafe(`select fid, target_fid from social.${table} order by 1, 2`)).map((row) =>
      Object.values(row),
    )
  const all = [
    [1, 2],
    [1, 3],
    [1, 4],
    [2, 2],
  ]
  const compact = (type: string) =>
    db.begin(async (transaction) => {
      await projectInto(transaction, 'social')
      await removeCompacted(transaction, alice.compactLinks([3], testNow - 5, type))
    })
  await compact('other')
  expect([await targets('follows'), await targets('blocks')]).toEqual([all, all])
  await compact('block')
  expect([await targets('follows'), await targets('blocks')]).toEqual([all, all.slice(1)])
  await compact('follow')
  expect(await targets('follows')).toEqual(all.slice(1))
  expect(await rows('user_counts')).toMatchObject([
    { fid: 1, following_count: 2 },
    { fid: 2, follower_count: 1 },
    { fid: 3, follower_count: 1 },
    { fid: 4, follower_count: 1 },
  ])
})

function verification(address: number, at: number, protocol = Protocol.ETHEREUM): SignedMessage {
  const verificationAddAddressBody = {
    address: Buffer.alloc(20, address),
    claimSignature: Buffer.alloc(65),
    blockHash: Buffer.alloc(32),
    verificationType: 0,
    chainId: 0,
    protocol,
  }
  return alice.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, at)
}

test('an address is stored as last verified, until it is removed', async () => {
  const [first, again, other] = [
    verification(1, testNow - 1),
    verification(1, testNow, Protocol.SOLANA),
    verification(2, testNow),
  ]
  await project(db, ...merged(first, other))
  await project(db, ...merged(again))
  expect(await rows('verifications')).toEqual([
    { fid: 1, address: Buffer.alloc(20, 1), protocol: 1, ts: testNow, signer: alice.key.publicKey },
    { fid: 1, address: Buffer.alloc(20, 2), protocol: 0, ts: testNow, signer: alice.key.publicKey },
  ])
  await project(db, ...pruned(again))
  expect(await rows('verifications')).toMatchObject([{ address: Buffer.alloc(20, 2) }])
})

test.each([
  [UserDataType.PFP, 'pfp_url'],
  [UserDataType.DISPLAY, 'display_name'],
  [UserDataType.BIO, 'bio'],
  [UserDataType.URL, 'url'],
  [UserDataType.USERNAME, 'username'],
  [UserDataType.LOCATION, 'location'],
  [UserDataType.TWITTER, 'twitter'],
  [UserDataType.GITHUB, 'github'],
  [UserDataType.BANNER, 'banner_url'],
  [UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM, 'primary_eth_address'],
  [UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA, 'primary_sol_address'],
  [UserDataType.PROFILE_TOKEN, 'profile_token'],
  [UserDataType.LIVE_AT, 'live_at'],
])('user data %i is stored as %s until it is emptied or removed', async (type, column) => {
  const readColumn = async () => (await rows('users')).map((row) => (row as Record<string, unknown>)[column])
  const [first, second, none] = ['one \0', 'two', ''].map((value, n) =>
    alice.userData(type, value, testNow - 9 + n),
  )
  const others = await rows('users')
  await project(db, ...merged(first!, bob.userData(type, 'bob', testNow)))
  expect(await readColumn()).toEqual(['one  ', 'bob', null])
  await project(db, { type: HubEventType.MERGE_MESSAGE, message: second!, deletedMessages: [first!] })
  expect(await readColumn()).toEqual(['two', 'bob', null])
  await project(db, ...merged(none!))
  // An empty name elsewhere hides the imported one.
  const isImported = type === UserDataType.TWITTER || type === UserDataType.GITHUB
  expect(await readColumn()).toEqual([isImported ? '' : null, 'bob', null])
  await project(db, ...pruned(none!))
  await project(db, ...pruned(bob.userData(type, 'bob', testNow)))
  expect(await rows('users')).toEqual(others)
})

test('the start of a live stream is stored with its URL and cleared with it', async () => {
  const since = async () => (await rows('users')).map((row) => (row as Record<string, unknown>).live_at_ts)
  const live = alice.userData(UserDataType.LIVE_AT, 'https://live.example', testNow - 5)
  await project(db, ...merged(live, bob.userData(UserDataType.BIO, 'bio', testNow)))
  expect(await since()).toEqual([testNow - 5, null, null])
  await project(db, ...merged(alice.userData(UserDataType.BIO, 'live now', testNow)))
  expect(await since()).toEqual([testNow - 5, null, null])
  await project(db, ...merged(alice.userData(UserDataType.LIVE_AT, '', testNow)))
  expect(await since()).toEqual([null, null, null])
})

test('user data of an unknown type changes nothing', async () => {
  const before = await rows('users')
  await project(db, ...merged(alice.userData(99 as UserDataType, 'x', testNow)))
  expect(await rows('users')).toEqual(before)
})

test('users come from the chain and keep their profiles', async () => {
  await project(db, ...merged(alice.userData(UserDataType.BIO, 'bio', testNow)))
  const initialRow = { bio: 'bio', custody_address: alice.custody, registered_at: testNowUnix - 1000 }
  expect(await rows('users')).toMatchObject([
    { ...initialRow, pro_since: null, pro_until: 0 },
    { fid: 2 },
    { fid: 3 },
  ])
  await onChain(
    alice.proPurchaseEvent(30, 500, testNowUnix - 50),
    alice.proPurchaseEvent(30, 501, testNowUnix - 40),
  )
  expect(await rows('users')).toMatchObject([
    { ...initialRow, pro_since: testNowUnix - 40, pro_until: testNowUnix - 50 + 60 * 86_400 },
    { fid: 2, pro_since: null },
    { fid: 3 },
  ])
})

test('a purchase of another tier is none of the pro tier', async () => {
  const purchase = (user: TestUser, tierType: TierType, block: number, at: number) => {
    const event = user.proPurchaseEvent(30, block, at)
    return { ...event, tierPurchaseEventBody: { ...event.tierPurchaseEventBody!, tierType } }
  }
  await onChain(
    purchase(alice, TierType.Pro, 500, testNowUnix - 50),
    purchase(alice, TierType.None, 501, testNowUnix - 40),
    purchase(bob, TierType.None, 502, testNowUnix - 30),
  )
  expect(await rows('users')).toMatchObject([
    { fid: 1, pro_since: testNowUnix - 50, pro_until: testNowUnix - 50 + 30 * 86_400 },
    { fid: 2, pro_since: null, pro_until: 0 },
    { fid: 3, pro_since: null, pro_until: 0 },
  ])
})

test('a key keeps the app that requested it, also after its removal', async () => {
  const abiWord = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex')
  let block = 1000
  const signer = (key: string, metadata: Buffer, eventType = 1) => {
    const event = alice.signerEvent(eventType, block++, testKey(key).publicKey)
    return { ...event, signerEventBody: { ...event.signerEventBody!, metadata } }
  }
  const request = (fid: bigint) => Buffer.concat([abiWord(32n), abiWord(fid)])
  const largest = BigInt(Number.MAX_SAFE_INTEGER)
  await onChain(
    signer('one', request(77n)),
    signer('two', Buffer.concat([request(largest), Buffer.alloc(7)])),
    signer('nobody', request(0n)),
    signer('too large', request(largest + 1n)),
    signer('too short', request(0x500n).subarray(0, 63)),
    signer('only reset', request(5n), 3),
    signer('one', request(5n), 2),
  )
  const apps = async () =>
    new Map(
      (await db`select fid, key, app_fid from social.signer_apps`).map((row) => [
        row.key.toString('hex'),
        row,
      ]),
    )
  const appOf = (key: string) => testKey(key).publicKey
  const found = await apps()
  expect(found.size).toBe(2)
  expect(found.get(appOf('one').toString('hex'))).toEqual({ fid: 1, key: appOf('one'), app_fid: 77 })
  expect(found.get(appOf('two').toString('hex'))).toMatchObject({ app_fid: Number(largest) })
  await onChain(signer('one', request(78n)))
  expect((await apps()).get(appOf('one').toString('hex'))).toMatchObject({ app_fid: 78 })
})
