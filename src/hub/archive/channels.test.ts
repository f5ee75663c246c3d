import { expect, test } from 'vitest'
import { channelRegistration } from '../../../test/channel-events.js'
import { addressVerification, TestChannel } from '../../../test/channels.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { hubContents } from '../../../test/hub-contents.js'
import { TestUser, testNow } from '../../../test/network.js'
import type { Database } from '../../platform/db/connection.js'
import { ChannelMemberAction, FarcasterNetwork } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { exportAll } from './export.js'
import { importArchive } from './import.js'
import { ArchiveWriter } from './writer.js'

const network = FarcasterNetwork.DEVNET

/** Returns an archive of all that a hub stores. */
async function exportOf(db: Database): Promise<Buffer> {
  const written: Buffer[] = []
  const start = { network, archiveId: '00000000000000cc', selection: 1, framesBefore: 0, position: 0 }
  const writer = new ArchiveWriter({ write: async (bytes) => void written.push(bytes) }, start)
  expect(await exportAll({ db, writer, after: null })).toBe(true)
  await writer.finish()
  return Buffer.concat(written)
}

/** Imports a whole archive, and returns how many items were refused by code. */
async function importInto(db: Database, archive: Buffer): Promise<Record<string, number>> {
  const target = await createTestHub(db)
  async function* source() {
    yield archive
  }
  const trusting = {
    submitItems: (...[items, options]: Parameters<typeof target.submitItems>) =>
      target.submitItems(items, { ...options, trusted: true }),
  }
  const { outcome, tally } = await importArchive({
    db,
    hub: trusting,
    network,
    source: source(),
    restart: false,
  })
  expect(outcome).toBe('complete')
  return Object.fromEntries(tally.refused)
}

const { ADD_MEMBER, ADD_MODERATOR, BAN } = ChannelMemberAction

test('an archive has the slots of channels, of all their users and in whatever order they came', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const [owner, member] = [new TestUser(1), new TestUser(2)]
  const channel = new TestChannel('plaza')
  await hub.submitOnChainEvents([owner, member].flatMap((user) => user.onChain()))
  await hub.submitOnChainEvents([channelRegistration('plaza', channel.owner, { block: 1 })])
  for (const message of [
    addressVerification(owner, channel.owner),
    channel.member(owner, ADD_MODERATOR, member.fid),
    channel.member(member, ADD_MEMBER, 3),
    channel.pin(owner, Buffer.alloc(20, 1), testNow),
    channel.pin(member, Buffer.alloc(20, 2), testNow - 100),
    channel.moderate(member, Buffer.alloc(20, 3)),
    channel.member(owner, BAN, member.fid),
  ]) {
    expect(await hub.submit([message], { trusted: true })).toEqual([null])
  }
  const { db: other } = await createTestDatabase()
  expect(await importInto(other, await exportOf(db))).toEqual({})
  const [sourceContents, targetContents] = await Promise.all([hubContents(db), hubContents(other)])
  expect(targetContents).toEqual(sourceContents)
})

test('an older archive brings back nothing that channels have replaced, a newer one replaces', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const owner = new TestUser(1)
  const channel = new TestChannel('plaza')
  await hub.submitOnChainEvents(owner.onChain())
  await hub.submitOnChainEvents([channelRegistration('plaza', channel.owner, { block: 1 })])
  const submit = async (...messages: SignedMessage[]) =>
    expect(await hub.submit(messages, { trusted: true })).toEqual(messages.map(() => null))
  await submit(addressVerification(owner, channel.owner))
  await submit(
    channel.member(owner, ADD_MEMBER, 7, testNow - 20),
    channel.pin(owner, Buffer.alloc(20, 1), testNow - 20),
  )
  const older = await exportOf(db)
  const { db: other } = await createTestDatabase()
  await importInto(other, older)
  await submit(
    channel.member(owner, BAN, 7, testNow - 10),
    channel.pin(owner, Buffer.alloc(20, 2), testNow - 10),
  )

  const before = await hubContents(db)
  await importInto(db, older)
  expect(await hubContents(db)).toEqual(before)
  await importInto(other, await exportOf(db))
  expect(await hubContents(other)).toEqual(before)
})
