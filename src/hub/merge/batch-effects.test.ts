import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { nameTransfer, TestUser, testKey, testNow, testNowUnix } from '../../../test/network.js'
import type { Queryable } from '../../platform/db/connection.js'
import {
  HubEventType,
  MessageType,
  UserDataType,
  UserNameProof,
  UserNameType,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { eventId } from '../log/hub-event.js'
import { ensurePartitions } from '../log/partitions.js'
import { mergeBatch } from './merge.js'
import { lockShards } from './shard-lock.js'
import { hashesOf, loggedEvents, storedMerges } from './testing/stored-merges.js'

const { db, connect } = await createTestDatabase()
const other = connect({ poolSize: 1 })
const { merge, outcomes, storedHashes, counts } = storedMerges(db)
const alice = new TestUser(1)
const bob = new TestUser(2)

/** Advisory locks of this database that another session waits for. */
const waiting = (holder: Queryable) => holder<{ objid: number }[]>`
  select l.objid from pg_locks l
  join pg_database d on d.oid = l.database and d.datname = current_database()
  where l.locktype = 'advisory' and not l.granted
`

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(async () => {
  await db.unsafe(`
    delete from hub.messages; delete from hub.cast_mentions; delete from hub.set_counts; delete from hub.events;
    delete from hub.onchain_events; delete from hub.fids; delete from hub.signers; delete from hub.storage_rents;
    delete from hub.shards; delete from hub.username_proofs; delete from hub.pruned_messages;
    insert into hub.shards (shard) values (1), (2);
  `)
  await merge({ chainEvents: [...alice.onChain(), ...bob.onChain()] })
})

const action = alice.message(
  {
    type: MessageType.FRAME_ACTION,
    frameActionBody: {
      url: Buffer.from('https://example.com'),
      buttonIndex: 1,
      inputText: Buffer.alloc(0),
      castId: undefined,
      state: Buffer.alloc(0),
      transactionId: Buffer.alloc(0),
      address: Buffer.alloc(0),
    },
  },
  testNow,
)

function ensProof(user: TestUser): SignedMessage {
  const usernameProofBody = UserNameProof.create({
    timestamp: 100,
    name: Buffer.from('name.eth'),
    owner: user.custody,
    signature: Buffer.alloc(65),
    fid: user.fid,
    type: UserNameType.USERNAME_TYPE_ENS_L1,
  })
  return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, testNow)
}

function keyRemove(): SignedMessage {
  const keyRemoveBody = {
    key: testKey('granted').publicKey,
    signature: Buffer.alloc(65),
    signatureType: 2,
    deadline: testNow,
    nonce: 1,
  }
  return alice.message({ type: MessageType.KEY_REMOVE, keyRemoveBody }, testNow)
}

test('a message of a type that is not stored is refused, beside others that merge', async () => {
  const cast = alice.cast('stored', testNow)
  expect(await outcomes(action, cast)).toEqual(['invalid message type', null])
  expect(await storedHashes(1)).toEqual(hashesOf([cast]))
  expect(await counts()).toEqual([[1, MessageSet.casts, 1, true]])
  expect(await merge({ messages: [action] })).toMatchObject({
    events: [],
    chainEvents: [],
    nameTransfers: [],
  })
})

test('upstream removal of a stored message -> PRUNE_MESSAGE; of another -> conflict', async () => {
  const [cast, other, profile] = [
    alice.cast('one', testNow, { mentions: [2], mentionsPositions: [0] }),
    alice.cast('two', testNow),
    alice.userData(UserDataType.BIO, 'bio', testNow),
  ]
  await merge({ messages: [cast, profile] })
  const { events, upstreamRemovals } = await merge({ upstreamRemovals: [other, cast, action] })
  const none = { code: 'bad_request.conflict', message: 'message is not stored' }
  expect(upstreamRemovals).toEqual([none, null, none])
  expect(loggedEvents(events)).toMatchObject([
    { fid: 1, type: HubEventType.PRUNE_MESSAGE, message: { hash: cast.hash } },
  ])
  expect(await storedHashes(1)).toEqual(hashesOf([profile]))
  expect(await counts()).toEqual([[1, MessageSet.userData, 1, true]])
  expect(await db`select from hub.cast_mentions`).toHaveLength(0)
  expect((await merge({ messages: [cast] })).messages).toEqual([null])
})

test("a batch merges in the protocol's order and answers in the order of the request", async () => {
  const [older, newer] = [testNow - 2, testNow - 1].map((at) => alice.userData(UserDataType.BIO, `${at}`, at))
  const shown = alice.userData(UserDataType.USERNAME, 'name.eth', testNow - 9)
  const cast = alice.cast('early', testNow - 10)
  const messages = [newer!, older!, cast, shown, ensProof(alice)]
  const merged = await merge({ messages })
  expect(merged.messages).toEqual([null, null, null, null, null])
  expect(
    loggedEvents(merged.events).map((event) => ('message' in event ? event.message.hash : event.type)),
  ).toEqual([HubEventType.MERGE_USERNAME_PROOF, shown.hash, older!.hash, newer!.hash, cast.hash])
})

test('hooks are called for logged events only', async () => {
  const calls: number[] = []
  const cast = alice.cast('once', testNow)
  for (const messages of [[cast], [cast], []]) {
    const batch = { messages, chainEvents: [], nameTransfers: [] }
    const hooks = [async (_db: unknown, events: readonly object[]) => void calls.push(events.length)]
    await mergeBatch(db, 1, batch, { shards: 2, hooks }, testNowUnix * 1000)
  }
  expect(calls).toEqual([2])
})

test("a transfer to a user of another shard -> the revocation is in the former holder's shard", async () => {
  await merge({ nameTransfers: [nameTransfer('alice', 1, 100)] })
  const shown = alice.userData(UserDataType.USERNAME, 'alice', testNow)
  await merge({ messages: [shown] })
  const heights = () => db<{ height: number }[]>`select height from hub.shards order by shard`
  const before = await heights()
  const transfer = nameTransfer('alice', 2, 200)
  const { events } = await merge({ nameTransfers: [transfer] }, { shard: 2 })
  expect(events.map(({ shard, body }) => [shard, body.type])).toEqual([
    [2, HubEventType.BLOCK_CONFIRMED],
    [2, HubEventType.MERGE_USERNAME_PROOF],
    [1, HubEventType.BLOCK_CONFIRMED],
    [1, HubEventType.REVOKE_MESSAGE],
  ])
  expect(await heights()).toEqual(before.map(({ height }) => ({ height: height + 1 })))
  const rows = await db<{ shard: number; id: number }[]>`
    select shard, id from hub.events where fid = 1 and type = ${HubEventType.REVOKE_MESSAGE}`
  expect([...rows]).toEqual([{ shard: 1, id: eventId(before[0]!.height + 1, 1) }])
  // The log of that shard goes on behind it.
  const next = await merge({ messages: [alice.cast('next', testNow)] })
  expect(next.events[0]).toMatchObject({ shard: 1, id: eventId(before[0]!.height + 2, 0) })
})

test('an unknown shard -> error', async () => {
  await expect(merge({ messages: [alice.cast('lost', testNow)] }, { shard: 3 })).rejects.toThrow(
    'shard 3 has no row in hub.shards',
  )
})

describe('the lock of the writer', () => {
  /** Whether a merge waits while another session writes a shard. */
  async function waitsFor(shard: number, batch: Parameters<typeof merge>[0]): Promise<boolean> {
    let merging: Promise<unknown> = Promise.resolve()
    const waited = await other.begin(async (holder) => {
      await lockShards(holder, [shard])
      let isDone = false
      merging = merge(batch).finally(() => {
        isDone = true
      })
      for (;;) {
        if ((await waiting(holder)).length > 0) return true
        if (isDone) return false
      }
    })
    await merging
    return waited
  }
  const cast = alice.cast('plain', testNow)

  test.each([
    ['messages and chain events', false, { messages: [cast], chainEvents: [alice.storageRentEvent(1, 900)] }],
    ['a transfer of a name', true, { nameTransfers: [nameTransfer('alice', 1, 100)] }],
    [
      'a transfer beside messages',
      true,
      { messages: [cast], nameTransfers: [nameTransfer('alice', 1, 100)] },
    ],
    ['a name proof beside other messages', true, { messages: [cast, ensProof(alice)] }],
    ['a key message beside other messages', true, { messages: [cast, keyRemove()] }],
  ])('covers one shard, or all shards for names and keys: %s', async (_what, ofAll, batch) => {
    expect([await waitsFor(1, batch), await waitsFor(2, batch)]).toEqual([true, ofAll])
  })

  test('is taken in ascending order of shards', async () => {
    const taking = other.begin(async (holder) => {
      await lockShards(holder, [2])
      const requested = db.begin((transaction) => lockShards(transaction, [2, 1]))
      await expect.poll(() => waiting(holder)).toEqual([{ objid: 2 }])
      const held = await holder`
        select l.objid from pg_locks l
        join pg_database d on d.oid = l.database and d.datname = current_database()
        where l.locktype = 'advisory' and l.granted and l.pid <> pg_backend_pid()
      `
      return { requested, held }
    })
    const { requested, held } = await taking
    await requested
    expect(held).toEqual([{ objid: 1 }])
  })
})

describe('on-chain events', () => {
  test('are logged in chain order, each once', async () => {
    const at = (blockNumber: number, logIndex: number) => ({
      ...alice.storageRentEvent(1, blockNumber),
      logIndex,
    })
    const [first, second, third] = [at(800, 1), at(800, 2), at(801, 0)]
    const { chainEvents, events } = await merge({ chainEvents: [third!, second!, first!, { ...second! }] })
    expect(chainEvents).toEqual([
      null,
      null,
      null,
      { code: 'bad_request.duplicate', message: 'on-chain event has already been merged' },
    ])
    expect(loggedEvents(events)).toEqual(
      [first, second, third].map((event) => ({
        fid: 1,
        type: HubEventType.MERGE_ON_CHAIN_EVENT,
        onChainEvent: event,
      })),
    )
    const again = await merge({ chainEvents: [first!] })
    expect([again.events, again.chainEvents[0]?.code]).toEqual([[], 'bad_request.duplicate'])
  })

  test('at one position of a block are distinct by fid and type', async () => {
    const rent = alice.storageRentEvent(1, 900)
    const events = [rent, { ...rent, fid: 2 }, alice.signerEvent(1, 900, testKey('new').publicKey)]
    expect((await merge({ chainEvents: events })).chainEvents).toEqual([null, null, null])
  })

  test('derive rents with their units and validity', async () => {
    await db`delete from hub.storage_rents`
    await merge({
      chainEvents: [
        alice.storageRentEvent(3, 900, testNowUnix - 50),
        alice.storageRentEvent(0, 901),
        bob.proPurchaseEvent(3),
      ],
    })
    expect([...(await db`select * from hub.storage_rents`)]).toMatchObject([
      {
        fid: 1,
        block_number: 900,
        log_index: 0,
        units: 3,
        rented_at: testNowUnix - 50,
        expires_at: testNowUnix - 50 + 365 * 86_400,
      },
    ])
  })

  test('derive the state of a fid from all its events, in any order of arrival', async () => {
    const key = testKey('late').publicKey
    const carol = new TestUser(3)
    const [removed, added] = [carol.signerEvent(2, 600, key), carol.signerEvent(1, 500, key)]
    await merge({ chainEvents: [removed, carol.proPurchaseEvent(10, 700)] })
    expect(await db`select from hub.fids where fid = 3`).toHaveLength(0)
    await merge({ chainEvents: [added, carol.registered(400)] })
    expect([
      ...(await db`select fid, shard, custody_address, pro_until from hub.fids where fid = 3`),
    ]).toEqual([
      {
        fid: 3,
        shard: expect.any(Number),
        custody_address: carol.custody,
        pro_until: testNowUnix - 1000 + 864_000,
      },
    ])
    expect([
      ...(await db`select key, key_type, active, block_number from hub.signers where fid = 3`),
    ]).toEqual([{ key, key_type: 1, active: false, block_number: 500 }])
    const before = await db`select fid, custody_address from hub.fids order by fid`
    await merge({ chainEvents: [carol.storageRentEvent(1, 950)] })
    expect(await db`select fid, custody_address from hub.fids order by fid`).toEqual(before)
  })
})
