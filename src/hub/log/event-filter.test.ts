import { expect, test } from 'vitest'
import { TestChannel } from '../../../test/channels.js'
import { createTestDatabase } from '../../../test/database.js'
import { createTestHub } from '../../../test/hub.js'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { HubEventType, MessageType, UserNameProof, UserNameType } from '../../protocol/definitions.js'
import { AFTER_ALL_EVENTS } from './log-range.js'
import { readEvents } from './read.js'

const { db } = await createTestDatabase()
const hub = await createTestHub(db)
const [alice, bob] = [new TestUser(1), new TestUser(2)]
await hub.submitOnChainEvents([...alice.onChain(), ...bob.onChain()])

/** The types of events of a user after an id. */
async function typesOf(fid: number, after: number): Promise<number[]> {
  const ranges = [{ shard: 1, from: after + 1, stop: AFTER_ALL_EVENTS }]
  const filter = { fids: [fid], types: null }
  return (await readEvents(db, ranges, { limit: 100, reverse: false, filter })).events.map(({ type }) => type)
}

async function lastId(): Promise<number> {
  const [row] = await db<{ id: number }[]>`select max(id) as id from hub.events`
  return row!.id
}

function prove(user: TestUser, at: number) {
  const usernameProofBody = UserNameProof.create({
    timestamp: testNowUnix + at,
    name: Buffer.from('name.eth'),
    owner: user.custody,
    fid: user.fid,
    type: UserNameType.USERNAME_TYPE_ENS_L1,
  })
  return user.message({ type: MessageType.USERNAME_PROOF, usernameProofBody }, testNow + at)
}

const log = { origin: 'log' } as const
const channel = new TestChannel('garden')

test.each([
  [
    'an fname',
    HubEventType.MERGE_USERNAME_PROOF,
    [alice, bob].map(
      ({ fid }) =>
        () =>
          hub.submitNameTransfers([nameTransfer('name', fid, testNowUnix + fid)]),
    ),
  ],
  [
    'a name on a chain',
    HubEventType.MERGE_USERNAME_PROOF,
    [alice, bob].map((user) => () => hub.submit([prove(user, user.fid)], log)),
  ],
  [
    'the slot of a channel',
    HubEventType.MERGE_MESSAGE,
    [alice, bob].map(
      (user) => () =>
        hub.submitItems([{ kind: 'message', message: channel.pin(user), isHistorical: true }], log),
    ),
  ],
] as const)(
  'the events of a user have the one that gives %s to another',
  async (_what, type, [give, take]) => {
    await give!()
    const start = await lastId()
    expect(await take!()).toEqual([null])
    expect((await typesOf(alice.fid, start)).filter((each) => each !== HubEventType.BLOCK_CONFIRMED)).toEqual(
      [type],
    )
    expect(await typesOf(bob.fid, start)).toEqual(await typesOf(alice.fid, start))
    expect(await typesOf(3, start)).not.toContain(type)
  },
)
