import { beforeEach, expect, test } from 'vitest'
import { addressVerification, TestChannel } from '../../../test/channels.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { TestUser, testNow } from '../../../test/network.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { ChannelMemberAction, UserDataType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { CHANNELS_FID } from '../../protocol/shard.js'
import { forgetRemoved, readOutgoing } from '../sync/publish/outgoing-queue.js'
import { outgoingChannel } from './outgoing.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db, { publishes: true })
const silent = await createTestHub(db)
const fromClient = { origin: 'client' } as const

let fid = 0
/** A registered user of one test. */
async function newUser(): Promise<TestUser> {
  fid += 1
  const user = new TestUser(fid)
  await hub.submitOnChainEvents(user.onChain())
  return user
}

beforeEach(async () => {
  await db`delete from hub.outgoing_messages`
})

async function outgoingHashes(): Promise<string[]> {
  const rows = await db<{ message: Buffer }[]>`select message from hub.outgoing_messages order by id`
  return hashesOf(rows.map(({ message }) => decodeStoredMessage(message)))
}

const hashesOf = (messages: readonly SignedMessage[]) => messages.map(({ hash }) => hash.toString('hex'))

test('messages of clients are remembered in the order of their merge', async () => {
  const user = await newUser()
  const cast = user.cast('first', testNow - 10)
  const later = [user.removeCast(cast.hash, testNow - 8), user.cast('second', testNow - 9)]
  await hub.submit([cast], fromClient)
  await hub.submit(later, fromClient)
  expect(await outgoingHashes()).toEqual(hashesOf([cast, later[1]!, later[0]!]))
})

test('a batch of clients and others: only messages of clients are remembered', async () => {
  const user = await newUser()
  const [published, synced, old] = [1, 2, 3].map((at) => user.cast(`${at}`, testNow - at))
  await Promise.all([
    hub.submit([synced!], { origin: 'log' }),
    hub.submit([published!], fromClient),
    hub.submit([old!], { origin: 'store' }),
  ])
  expect(await outgoingHashes()).toEqual(hashesOf([published!]))
})

test('refused, repeated and pruned messages are not remembered', async () => {
  const user = await newUser()
  const cast = user.cast('once', testNow - 10)
  await hub.submit([cast], fromClient)
  await db`delete from hub.outgoing_messages`
  const forged = new TestUser(user.fid, 'another key').cast('forged', testNow)
  // More than one unit holds, all in one batch.
  const many = Array.from({ length: 120 }, (_, n) => user.cast(`${n}`, testNow - 500 + n))
  const refusals = await hub.submit([cast, forged, ...many], fromClient)
  const merged = [cast, forged, ...many].filter((_, index) => refusals[index] === null)
  expect(refusals.flatMap((refusal) => refusal?.code ?? [])).toContain('bad_request.prunable')
  expect(await outgoingHashes()).toEqual(hashesOf(merged))
})

test('messages of channels are one queue of all users, which waits without their other messages', async () => {
  const [owner, moderator] = [await newUser(), await newUser()]
  const garden = new TestChannel('garden')
  await garden.register(db)
  await hub.submit([addressVerification(owner, garden.owner)], { trusted: true })
  const appointed = garden.member(owner, ChannelMemberAction.ADD_MODERATOR, moderator.fid)
  const pin = garden.pin(moderator, Buffer.alloc(20, 1))
  const cast = moderator.cast('first', testNow - 10)
  for (const message of [appointed, pin, cast])
    expect(await hub.submit([message], fromClient)).toEqual([null])
  const waiting = async (queues: number[]) =>
    (await readOutgoing(db, queues)).map(({ queue, message }) => [queue, message.hash.toString('hex')])
  const [first, second, third] = hashesOf([appointed, pin, cast])
  expect(await waiting([])).toEqual([
    [CHANNELS_FID, first],
    [CHANNELS_FID, second],
    [moderator.fid, third],
  ])
  expect(await waiting([CHANNELS_FID])).toEqual([[moderator.fid, third]])
  expect(await waiting([moderator.fid])).toHaveLength(2)
})

test('what was taken back while the hub did not publish is not sent any more', async () => {
  const user = await newUser()
  const [kept, deleted] = [user.cast('kept', testNow - 10), user.cast('deleted', testNow - 9)]
  const [liked, undone] = [user.react(kept, testNow - 8), user.react(deleted, testNow - 7)]
  const name = user.userData(UserDataType.DISPLAY, 'Ann', testNow - 6)
  await hub.submit([kept, deleted, liked, undone, name], fromClient)
  await silent.submit(
    [user.removeCast(deleted.hash, testNow), user.react(deleted, testNow, { remove: true })],
    fromClient,
  )
  const stored = await forgetRemoved(db, await readOutgoing(db, []))
  expect(new Set(hashesOf(stored.map(({ message }) => message)))).toEqual(
    new Set(hashesOf([kept, liked, name])),
  )
  expect(await outgoingHashes()).toEqual(hashesOf(stored.map(({ message }) => message)))
})

test('a hub that does not publish remembers nothing', async () => {
  const user = await newUser()
  await silent.submit([user.cast('stays here', testNow)], fromClient)
  expect(await outgoingHashes()).toEqual([])
})

test('the sender is notified with the commit', async () => {
  const user = await newUser()
  let notify = () => {}
  const notified = new Promise<void>((resolve) => {
    notify = resolve
  })
  const listener = await db.listen(outgoingChannel, notify)
  await hub.submit([user.cast('hello', testNow)], fromClient)
  await notified
  await listener.unlisten()
})
