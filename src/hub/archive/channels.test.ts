import { expect, test } from 'vitest'
import { channelRegistration } from '../../../test/channel-events.js'
import { addressVerification, TestChannel } from '../../../test/channels.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { hubContents } from '../../../test/hub-contents.js'
import { TestUser, testNow } from '../../../test/network.js'
import { ChannelMemberAction, FarcasterNetwork } from '../../protocol/definitions.js'
import { exportAll } from './export.js'
import { importArchive } from './import.js'
import { ArchiveWriter } from './writer.js'

const network = FarcasterNetwork.DEVNET

test('an archive has the slots of channels, of all their users and in whatever order they came', async () => {
  const { db } = await createTestDatabase()
  const hub = await createTestHub(db)
  const [owner, member] = [new TestUser(1), new TestUser(2)]
  const channel = new TestChannel('plaza')
  await hub.submitOnChainEvents([owner, member].flatMap((user) => user.onChain()))
  await hub.submitOnChainEvents([channelRegistration('plaza', channel.owner, { block: 1 })])
  const { ADD_MEMBER, ADD_MODERATOR, BAN } = ChannelMemberAction
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

  const written: Buffer[] = []
  const start = { network, archiveId: '00000000000000cc', selection: 1, framesBefore: 0, position: 0 }
  const writer = new ArchiveWriter({ write: async (bytes) => void written.push(bytes) }, start)
  expect(await exportAll({ db, writer, after: null })).toBe(true)
  await writer.finish()

  const { db: other } = await createTestDatabase()
  const target = await createTestHub(other)
  async function* source() {
    yield Buffer.concat(written)
  }
  const trusting = {
    submitItems: (...[items, options]: Parameters<typeof target.submitItems>) =>
      target.submitItems(items, { ...options, trusted: true }),
  }
  const result = await importArchive({ db: other, hub: trusting, network, source: source(), restart: false })
  expect([result.outcome, [...result.tally.refused]]).toEqual(['complete', []])
  const [sourceContents, targetContents] = await Promise.all([hubContents(db), hubContents(other)])
  expect(targetContents).toEqual(sourceContents)
})
