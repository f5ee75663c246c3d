import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../test/network.js'
import {
  HubEventType,
  MessageType,
  Protocol,
  StorageUnitType,
  UserNameProof,
  UserNameType,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { ensurePartitions } from '../log/partitions.js'
import { hashesOf, loggedEvents, storedMerges } from './testing/stored-merges.js'

const { db } = await createTestDatabase()
const { merge, outcomes, storedHashes, counts } = storedMerges(db, 1)
const alice = new TestUser(1)
const bob = new TestUser(2)
const yearSeconds = 365 * 86_400
const noRoom = 'message is older than everything that storage has room for'
const type = HubEventType.PRUNE_MESSAGE

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(async () => {
  await db.unsafe(`
    delete from hub.messages; delete from hub.set_counts; delete from hub.events; delete from hub.onchain_events;
    delete from hub.fids; delete from hub.signers; delete from hub.storage_rents; delete from hub.storage_loans;
    delete from hub.shards; delete from hub.username_proofs; delete from hub.pruned_messages;
    insert into hub.shards (shard) values (1);
  `)
  await merge({ chainEvents: [...alice.onChain(), ...bob.onChain()] })
})

/** One unit allows five verifications. */
function verification(user: TestUser, address: number, at: number): SignedMessage {
  const verificationAddAddressBody = {
    address: Buffer.alloc(20, address),
    claimSignature: Buffer.alloc(65),
    blockHash: Buffer.alloc(32),
    verificationType: 0,
    chainId: 0,
    protocol: Protocol.ETHEREUM,
  }
  return user.message({ type: MessageType.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, at)
}

/** One unit allows two name proofs. */
function ensProof(user: TestUser, name: string, provenAt: number): SignedMessage {
  const usernameProofBody = UserNameProof.create({
    timestamp: provenAt,
    name: Buffer.from(name),
    owner: user.custody,
    signature: Buffer.alloc(65),
    fid: user.fid,
    type: UserNameType.USERNAME_TYPE_ENS_L1,
  })
  return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, testNow - 1000 + provenAt)
}

test('a full set drops its lowest messages, by time and then hash', async () => {
  const five = [1, 2, 3, 4, 5].map((n) => verification(alice, n, testNow - 9))
  expect(await outcomes(...five)).toEqual([null, null, null, null, null])
  expect(await counts()).toEqual([[1, MessageSet.verifications, 5, true]])
  const [lowest, ...rest] = hashesOf(five)
  const newest = verification(alice, 6, testNow)
  const { events } = await merge({ messages: [newest] })
  expect(await storedHashes(1)).toEqual([...rest, ...hashesOf([newest])].sort())
  const gone = five.find(({ hash }) => hash.toString('hex') === lowest)
  expect(loggedEvents(events).slice(1)).toMatchObject([{ fid: 1, type, message: { hash: gone!.hash } }])
  expect(await counts()).toEqual([[1, MessageSet.verifications, 5, true]])
})

test('prune events are ordered by fid, set and time', async () => {
  const messages = [bob, alice].flatMap((user) => [
    ...Array.from({ length: 28 }, (_, n) => user.userData(100 + n, 'x', testNow - ((n * 5) % 29))),
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => verification(user, n, testNow - ((n * 7) % 9))),
  ])
  const { events, messages: answers } = await merge({ messages })
  const dropped = loggedEvents(events).flatMap((event) => (event.type === type ? [event.message] : []))
  const sourceOffsets = dropped.map(({ data, hash }) => ({
    fid: data.fid,
    set: data.type === MessageType.USER_DATA_ADD ? MessageSet.userData : MessageSet.verifications,
    ts: data.timestamp,
    hash,
  }))
  expect(sourceOffsets).toHaveLength(12)
  expect(sourceOffsets).toEqual(
    [...sourceOffsets].sort(
      (a, b) => a.fid - b.fid || a.set - b.set || a.ts - b.ts || Buffer.compare(a.hash, b.hash),
    ),
  )
  expect(hashesOf(messages.filter((_, n) => answers[n]?.message === noRoom))).toEqual(hashesOf(dropped))
  expect(await counts()).toEqual([
    [1, MessageSet.verifications, 5, true],
    [1, MessageSet.userData, 25, true],
    [2, MessageSet.verifications, 5, true],
    [2, MessageSet.userData, 25, true],
  ])
})

test('a pruned proof frees its name, unless another fid holds it', async () => {
  const [first, second, third] = ['a.eth', 'b.eth', 'c.eth'].map((name, n) => ensProof(alice, name, 10 + n))
  await merge({ messages: [first!, second!] })
  const { events } = await merge({ messages: [third!] })
  expect(loggedEvents(events)).toMatchObject([
    { fid: 1, usernameProof: { name: Buffer.from('c.eth') } },
    {
      fid: 1,
      type: HubEventType.MERGE_USERNAME_PROOF,
      deletedUsernameProof: { name: Buffer.from('a.eth') },
      deletedUsernameProofMessage: { hash: first!.hash },
    },
  ])
  expect(loggedEvents(events)[1]).not.toHaveProperty('usernameProof')
  expect(await storedHashes(1)).toEqual(hashesOf([second!, third!]))
  const names = () => db`select name, fid from hub.username_proofs order by name`
  expect(await names()).toEqual([
    { name: 'b.eth', fid: 1 },
    { name: 'c.eth', fid: 1 },
  ])
  await merge({ nameTransfers: [{ ...nameTransfer('b.eth', 2, 50) }] })
  await merge({ messages: [ensProof(alice, 'd.eth', 60)] })
  expect(await storedHashes(1)).not.toContain(hashesOf([second!])[0])
  expect(await names()).toMatchObject([{ name: 'b.eth', fid: 2 }, { name: 'c.eth' }, { name: 'd.eth' }])
})

test('loans are never pruned, also those of a lender who keeps fewer units than it has loans', async () => {
  await merge({ chainEvents: [alice.storageRentEvent(3, 900)] })
  const loan = (toFid: number, at: number) => alice.lendStorage(toFid, 1, StorageUnitType.UNIT_TYPE_2025, at)
  await merge({ messages: [loan(5, testNow - 9), loan(6, testNow - 8)] })
  // Of four units one is left.
  const { events } = await merge({ messages: [loan(7, testNow)] })
  expect(loggedEvents(events)).toHaveLength(1)
  await merge({ messages: [loan(6, testNow + 1)] })
  expect(await db`select from_fid, to_fid, units from hub.storage_loans order by to_fid`).toEqual(
    [5, 6, 7].map((toFid) => ({ from_fid: 1, to_fid: toFid, units: 1 })),
  )
  expect(await counts()).toEqual([[1, MessageSet.lends, 3, true]])
})

test('a compact state counts and is pruned after all links', async () => {
  const compact = alice.compactLinks([1000], testNow - 500)
  const links = Array.from({ length: 200 }, (_, n) => alice.link(1000 + n, testNow - 400 + n))
  await merge({ messages: [compact, ...links] })
  expect(await storedHashes(1)).toEqual(hashesOf([compact, ...links.slice(1)]))
})

test('compact states of more types than the set may hold -> the lowest are pruned, with what was kept for them', async () => {
  const unfollow = alice.link(1000, testNow - 700, { type: 'type 0', remove: true })
  await merge({ messages: [unfollow, alice.link(1001, testNow - 690)] })
  const states = Array.from({ length: 202 }, (_, n) =>
    alice.compactLinks([1000], testNow - 600 + n, `type ${n}`),
  )
  await merge({ messages: states.slice(0, 100) })
  expect(await db`select fid from hub.link_cutoffs`).toEqual([{ fid: 1 }])
  await merge({ messages: states.slice(100, 200) })
  const { events, messages } = await merge({ messages: states.slice(200) })
  expect(messages).toEqual([null, null])
  expect(loggedEvents(events).slice(2)).toMatchObject(
    states.slice(0, 2).map(({ hash }) => ({ fid: 1, type, message: { hash } })),
  )
  expect(await storedHashes(1)).toEqual(hashesOf(states.slice(2)))
  expect(await counts()).toEqual([[1, MessageSet.links, 200, true]])
  expect(await db`select fid from hub.link_cutoffs`).toEqual([])
})

test('historical messages are kept without limit if storage is unknown, else up to all units ever rented', async () => {
  const carol = new TestUser(3)
  await merge({ chainEvents: [carol.registered(), carol.signerEvent(1)] })
  const [hers, theirs] = [carol, alice].map((user) =>
    [1, 2, 3, 4, 5, 6].map((n) => verification(user, n, testNow - 10 + n)),
  )
  const messages = [...hers!, ...theirs!]
  await merge({ messages, historical: new Set(messages) })
  expect(await storedHashes(3)).toEqual(hashesOf(hers!))
  expect(await storedHashes(1)).toEqual(hashesOf(theirs!.slice(1)))
})

test('a set shrinks to the limit of today when its user adds to it, and no other set does', async () => {
  await merge({
    chainEvents: [1, 2].map((fid) =>
      new TestUser(fid).storageRentEvent(1, 950, testNowUnix - 4 * yearSeconds),
    ),
  })
  const ten = (user: TestUser) =>
    Array.from({ length: 10 }, (_, n) => verification(user, n, testNow - 20 + n))
  const data = Array.from({ length: 26 }, (_, n) => alice.userData(100 + n, 'x', testNow - 50 + n))
  const before = [...ten(alice), ...ten(bob), ...data]
  await merge({ messages: before, historical: new Set(before) })
  const more = bob.userData(1, 'x', testNow)
  const newest = verification(alice, 99, testNow)
  const another = verification(bob, 99, testNow - 1)
  await merge({ messages: [newest, more, another], historical: new Set([another]) })
  expect(await counts()).toEqual([
    [1, MessageSet.verifications, 5, true],
    [1, MessageSet.userData, 26, true],
    [2, MessageSet.verifications, 11, true],
    [2, MessageSet.userData, 1, true],
  ])
})

test('a set shrinks to the limit of today when its user replaces a message of it', async () => {
  await merge({ chainEvents: [alice.storageRentEvent(1, 950, testNowUnix - 4 * yearSeconds)] })
  const ten = Array.from({ length: 10 }, (_, n) => verification(alice, n, testNow - 20 + n))
  await merge({ messages: ten, historical: new Set(ten) })
  const again = verification(alice, 2, testNow)
  const { events } = await merge({ messages: [again] })
  expect(await storedHashes(1)).toEqual(hashesOf([...ten.slice(6), again]))
  expect(loggedEvents(events).map((event) => event.type)).toEqual([
    HubEventType.MERGE_MESSAGE,
    ...Array(5).fill(type),
  ])
  expect(await counts()).toEqual([[1, MessageSet.verifications, 5, true]])
})

test('a set of historical messages stays as it is when another historical one replaces one', async () => {
  await merge({ chainEvents: [alice.storageRentEvent(1, 950, testNowUnix - 4 * yearSeconds)] })
  const ten = Array.from({ length: 10 }, (_, n) => verification(alice, n, testNow - 20 + n))
  const again = verification(alice, 2, testNow)
  await merge({ messages: ten, historical: new Set(ten) })
  await merge({ messages: [again], historical: new Set([again]) })
  expect(await counts()).toEqual([[1, MessageSet.verifications, 10, true]])
})

test('a refused message does not shrink a set of historical messages', async () => {
  await merge({ chainEvents: [alice.storageRentEvent(1, 950, testNowUnix - 4 * yearSeconds)] })
  const ten = Array.from({ length: 10 }, (_, n) => verification(alice, n, testNow - 20 + n))
  await merge({ messages: ten, historical: new Set(ten) })
  const [older, historical] = [verification(alice, 0, testNow - 30), verification(alice, 10, testNow)]
  const refused = await merge({ messages: [older, historical], historical: new Set([historical]) })
  expect(refused.messages).toMatchObject([{ code: 'bad_request.conflict' }, null])
  expect(await storedHashes(1)).toEqual(hashesOf([...ten, historical]))
})

test('rents whose units together exceed 32 bits keep messages merging', async () => {
  const most = 2 ** 31 - 1
  await merge({ chainEvents: [alice.storageRentEvent(most, 960), alice.storageRentEvent(most, 961)] })
  expect(await outcomes(alice.cast('from a large store', testNow))).toEqual([null])
})

test('storage is active up to the second in which it expires', async () => {
  const carol = new TestUser(3)
  const rent = carol.storageRentEvent(1, 900, testNowUnix)
  await merge({ chainEvents: [carol.registered(), carol.signerEvent(1), rent] })
  const end = testNowUnix + yearSeconds
  await ensurePartitions(db, end * 1000)
  const late = { messages: [carol.cast('too late', testNow)] }
  expect((await merge(late, { atUnix: end })).messages).toMatchObject([
    { code: 'bad_request.validation_failure' },
  ])
  expect((await merge(late, { atUnix: end - 1 })).messages).toEqual([null])
})

test('a message that is pruned repeatedly is logged once, while the log keeps it', async () => {
  const old = verification(alice, 99, testNow - 500)
  await merge({ messages: [1, 2, 3, 4, 5].map((n) => verification(alice, n, testNow - 100 + n)) })
  const before = await counts()
  const mentions = (events: Parameters<typeof loggedEvents>[0]) =>
    loggedEvents(events).map((event) => event.type)

  const first = await merge({ messages: [old] })
  expect(mentions(first.events)).toEqual([HubEventType.MERGE_MESSAGE, type])
  const second = await merge({ messages: [old, verification(bob, 7, testNow)] })
  expect(mentions(second.events)).toEqual([HubEventType.MERGE_MESSAGE])
  expect(second.messages.map((outcome) => outcome?.message ?? null)).toEqual([noRoom, null])
  expect((await merge({ messages: [old] })).events).toEqual([])
  expect((await counts()).filter(([fid]) => fid === alice.fid)).toEqual(before)

  await merge({ chainEvents: [alice.storageRentEvent(1, 50_009)] })
  expect(mentions((await merge({ messages: [old] })).events)).toEqual([HubEventType.MERGE_MESSAGE])
  expect(await storedHashes(alice.fid)).toContain(old.hash.toString('hex'))
})

test('a name that is pruned repeatedly is logged once', async () => {
  const old = ensProof(alice, 'old.eth', 1)
  await merge({ messages: ['a.eth', 'b.eth'].map((name, n) => ensProof(alice, name, 10 + n)) })
  const first = await merge({ messages: [old] })
  expect(loggedEvents(first.events).map((event) => event.type)).toEqual([
    HubEventType.MERGE_USERNAME_PROOF,
    HubEventType.MERGE_USERNAME_PROOF,
  ])
  const second = await merge({ messages: [old] })
  expect([second.events, second.messages]).toMatchObject([[], [{ message: noRoom }]])
  // One that takes the name of another is told of with what it displaced.
  await merge({ nameTransfers: [nameTransfer('old.eth', 2, 0)] })
  expect(loggedEvents((await merge({ messages: [old] })).events)).toMatchObject([
    { deletedUsernameProof: { fid: 2 } },
    { deletedUsernameProofMessage: { hash: old.hash } },
  ])
})

test('a message that displaced another is logged again', async () => {
  await merge({ messages: [1, 2, 3, 4, 5].map((n) => verification(alice, n, testNow - 100 + n)) })
  const again = verification(alice, 99, testNow - 400)
  await merge({ messages: [again] })
  await merge({ chainEvents: [alice.storageRentEvent(1, 50_009)] })
  await merge({ messages: [verification(alice, 99, testNow - 500)] })
  await db`delete from hub.storage_rents where block_number = 50009 or log_index = 50009`
  const { events } = await merge({ messages: [again, verification(alice, 6, testNow)] })
  const ofAgain = loggedEvents(events).filter(
    (event) => 'message' in event && event.message?.hash.equals(again.hash),
  )
  expect(ofAgain.map((event) => event.type)).toEqual([HubEventType.MERGE_MESSAGE, type])
})
