import { beforeEach, describe, expect, test } from 'vitest'
import { addressVerification, TestChannel } from '../../../../test/channels.js'
import { createTestDatabase } from '../../../../test/database.js'
import { createTestHub } from '../../../../test/hub.js'
import { TestUser, testNow } from '../../../../test/network.js'
import {
  ChannelMemberAction as Action,
  ChannelModerateAction,
  FarcasterNetwork,
  HubEventType,
  MembershipMode,
  MessageType,
} from '../../../protocol/definitions.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { hubEventBody } from '../../log/hub-event.js'

const statements: string[] = []
const { db } = await createTestDatabase({ onStatement: (sql) => statements.push(sql) })
const hub = await createTestHub(db, { shards: 2 })
const [owner, moderator, member, stranger, heir] = [1, 2, 3, 4, 5].map((fid) => new TestUser(fid)) as [
  TestUser,
  TestUser,
  TestUser,
  TestUser,
  TestUser,
]
await hub.submitOnChainEvents(
  [owner, moderator, member, stranger, heir].flatMap((user) => user.onChain({ units: 10 })),
)

let channel: TestChannel
let counter = 0

/** Submits each message alone. Returns the refusals' texts; null for merged ones. */
async function outcomes(...messages: SignedMessage[]): Promise<(string | null)[]> {
  const texts: (string | null)[] = []
  for (const message of messages) {
    const [refusal] = await hub.submit([message], { trusted: true })
    texts.push(refusal?.message ?? null)
  }
  return texts
}

/** A new channel of `owner`, with a moderator and a member. */
beforeEach(async () => {
  counter += 1
  channel = new TestChannel(`channel-${counter}`, Buffer.alloc(20, counter))
  await channel.register(db)
  await expect(
    outcomes(
      addressVerification(owner, channel.owner, testNow - 1000 + counter),
      channel.member(owner, Action.ADD_MODERATOR, moderator.fid),
      channel.member(owner, Action.ADD_MEMBER, member.fid),
    ),
  ).resolves.toEqual([null, null, null])
})

const slotOf = async (type: number) =>
  (
    await db<{ hash: Buffer }[]>`
    select hash from hub.channel_messages where channel_id = ${channel.id} and type = ${type}
  `
  ).map(({ hash }) => hash)

async function lastEvent() {
  const [row] = await db<{ event: Buffer; shard: number }[]>`
    select event, shard
    from hub.events
    where type = ${HubEventType.MERGE_MESSAGE}
    order by shard, id desc
    limit 1
  `
  const body = hubEventBody(row!.event)
  if (body.type !== HubEventType.MERGE_MESSAGE) throw new Error('the log ends otherwise')
  return body
}

describe('who may act', () => {
  test('a channel that the registry does not know is refused', async () => {
    const unknown = new TestChannel('nobody-registered-this')
    expect(await outcomes(unknown.update(owner))).toEqual(['unknown channel'])
  })

  test('metadata is for the owner, pins and moderation for moderators too', async () => {
    const hash = Buffer.alloc(20, 1)
    for (const [user, expected] of [
      [owner, [null, null, null]],
      [moderator, ['unauthorized channel action', null, null]],
      [member, Array(3).fill('unauthorized channel action')],
      [stranger, Array(3).fill('unauthorized channel action')],
    ] as const) {
      const messages = [channel.update(user), channel.pin(user, hash), channel.moderate(user, hash)]
      expect(await outcomes(...messages)).toEqual(expected)
    }
  })

  test('a user with a fid that no slot of a member has is refused, and nothing fails', async () => {
    const far = new TestUser(2 ** 32 + moderator.fid)
    await hub.submitOnChainEvents(far.onChain({ units: 1 }))
    expect(await outcomes(channel.pin(far, Buffer.alloc(20, 1)))).toEqual(['unauthorized channel action'])
  })

  test('a message with the body of another type is refused, before the registry is asked', async () => {
    const { channelPinBody } = channel.pin(owner).data
    const { channelUpdateBody } = new TestChannel('unknown').update(owner).data
    const mismatched = [
      owner.message({ type: MessageType.CHANNEL_UPDATE, channelPinBody }, testNow),
      owner.message({ type: MessageType.CHANNEL_MEMBER, channelUpdateBody }, testNow),
    ]
    expect(await outcomes(...mismatched)).toEqual(['invalid message type', 'invalid message type'])
  })

  test('only an open channel lets users add themselves', async () => {
    const join = (at: number) => channel.member(stranger, Action.ADD_MEMBER, stranger.fid, at)
    expect(await outcomes(join(testNow))).toEqual(['unauthorized channel action'])
    expect(await outcomes(channel.update(owner, { membershipMode: MembershipMode.APPROVAL }))).toEqual([null])
    expect(await outcomes(join(testNow))).toEqual(['unauthorized channel action'])
    expect(await outcomes(channel.update(owner, { membershipMode: MembershipMode.OPEN }))).toEqual([null])
    expect(await outcomes(join(testNow), channel.member(stranger, Action.REMOVE_MEMBER))).toEqual([
      null,
      null,
    ])
    expect(await outcomes(channel.member(moderator, Action.BAN, stranger.fid), join(testNow + 1))).toEqual([
      null,
      'channel member is banned',
    ])
  })

  test('an eleventh moderator is refused, and one more after one has left', async () => {
    const add = (fid: number) => channel.member(owner, Action.ADD_MODERATOR, fid)
    const fids = [11, 12, 13, 14, 15, 16, 17, 18, 19]
    const refusals = await hub.submit([...fids, 20].map(add), { trusted: true })
    expect(refusals.filter((refusal) => refusal?.message === 'channel moderator cap reached')).toHaveLength(1)
    expect(await outcomes(add(21))).toEqual(['channel moderator cap reached'])
    expect(await outcomes(channel.member(moderator, Action.REMOVE_MEMBER), add(21))).toEqual([null, null])
  })
})

describe('the owner', () => {
  test('is who verified the address last', async () => {
    expect(await outcomes(addressVerification(heir, channel.owner, testNow))).toEqual([null])
    expect(await outcomes(channel.update(owner), channel.update(heir))).toEqual([
      'unauthorized channel action',
      null,
    ])
  })

  test('may act in the batch that verifies the address', async () => {
    const { db: other } = await createTestDatabase()
    const single = await createTestHub(other)
    await single.submitOnChainEvents(heir.onChain())
    const parked = new TestChannel('parked')
    await parked.register(other)
    const trusted = { trusted: true }
    expect(await single.submit([parked.update(heir)], trusted)).toMatchObject([
      { message: 'channel is parked' },
    ])
    const batch = [parked.update(heir), addressVerification(heir, parked.owner)]
    expect(await single.submit(batch, trusted)).toEqual([null, null])
  })

  test('changes with a transfer when the new owner has verified the address', async () => {
    const next = Buffer.alloc(20, 200)
    await channel.register(db, next)
    expect(await outcomes(channel.update(owner), channel.update(heir))).toEqual([
      'channel is parked',
      'channel is parked',
    ])
    expect(
      await outcomes(addressVerification(heir, next), channel.update(heir), channel.update(owner)),
    ).toEqual([null, null, 'unauthorized channel action'])
  })

  test('is nobody once the verification is removed: then only leaving is possible', async () => {
    expect(await outcomes(addressVerification(owner, channel.owner, testNow, true))).toEqual([null])
    expect(
      await outcomes(
        channel.update(owner),
        channel.pin(moderator),
        channel.member(moderator, Action.REMOVE_MEMBER, member.fid),
        channel.member(member, Action.REMOVE_MEMBER),
      ),
    ).toEqual(['channel is parked', 'channel is parked', 'channel is parked', null])
  })

  test('cannot be banned, by itself neither', async () => {
    const banned = 'channel owner cannot be banned'
    const ban = (by: TestUser) => channel.member(by, Action.BAN, owner.fid)
    expect(await outcomes(ban(moderator), ban(owner))).toEqual([banned, banned])
  })
})

describe('a slot', () => {
  const hash = Buffer.alloc(20, 7)

  test('holds the message that came last, from any sender and of any time', async () => {
    const [newer, older] = [channel.pin(owner, hash, testNow), channel.pin(moderator, hash, testNow - 500)]
    expect(await outcomes(newer, older)).toEqual([null, null])
    expect(await slotOf(20)).toEqual([older.hash])
    expect((await lastEvent()).deletedMessages.map((message) => message.hash)).toEqual([newer.hash])
    expect(await outcomes(older)).toEqual(['message has already been merged'])
    expect(await outcomes(newer)).toEqual([null])
    expect(await slotOf(20)).toEqual([newer.hash])
  })

  test('is never freed: unpinning and showing again keep it', async () => {
    const show = channel.moderate(owner, hash, ChannelModerateAction.UNHIDE)
    expect(
      await outcomes(channel.moderate(owner, hash), show, channel.pin(owner, hash), channel.pin(owner)),
    ).toEqual([null, null, null, null])
    expect([await slotOf(21), (await slotOf(20)).length]).toEqual([[show.hash], 1])
  })

  test('is refused beyond the cap of a channel; overwriting at the cap is fine', async () => {
    await db`update hub.channel_counts set members = 8192, moderations = 16384 where channel_id = ${channel.id}`
    const full = 'channel slot cap exceeded'
    expect(
      await outcomes(
        channel.member(owner, Action.ADD_MEMBER, 99),
        channel.moderate(owner, hash),
        channel.member(owner, Action.BAN, member.fid),
      ),
    ).toEqual([full, full, null])
  })

  test('counts of slots and moderators equal the rows', async () => {
    const steps = [Action.ADD_MODERATOR, Action.REMOVE_MODERATOR, Action.BAN, Action.UNBAN, Action.ADD_MEMBER]
    expect(await outcomes(...steps.map((action) => channel.member(owner, action, 50)))).toEqual(
      steps.map(() => null),
    )
    const [counts] = await db`
      select members, moderators, moderations from hub.channel_counts where channel_id = ${channel.id}
    `
    expect(counts).toEqual({ members: 3, moderators: 1, moderations: 0 })
  })
})

test('channel messages of all users are logged in one shard, in the order of their merge', async () => {
  const messages = [owner, moderator].map((user) => channel.pin(user, Buffer.alloc(20, user.fid)))
  expect(await outcomes(...messages)).toEqual([null, null])
  const rows = await db<{ shard: number }[]>`
    select distinct shard
    from hub.events
    where fid in (1, 2) and type = ${HubEventType.MERGE_MESSAGE}
      and position(${channel.id}::bytea in event) > 0
  `
  expect(rows).toHaveLength(1)
})

test('a batch of channel messages takes five statements more than others, whatever its size', async () => {
  const count = async (...messages: SignedMessage[]) => {
    statements.length = 0
    expect((await hub.submit(messages, { trusted: true })).filter(Boolean)).toEqual([])
    return statements.length
  }
  const hashes = Array.from({ length: 30 }, (_, index) => Buffer.alloc(20, index + 1))
  const one = await count(channel.moderate(owner, Buffer.alloc(20, 99)))
  const many = await count(...hashes.map((hash) => channel.moderate(owner, hash)))
  expect(many).toBe(one)
  const text = statements.join('\n')
  expect(text.match(/hub\.channel/g)!.length).toBeLessThanOrEqual(9)
  await count(owner.cast('no channel', testNow))
  expect(statements.join('\n')).not.toContain('hub.channel')
})

test('mainnet and testnet refuse channel messages as an invalid type', async () => {
  for (const network of [FarcasterNetwork.MAINNET, FarcasterNetwork.TESTNET]) {
    const { db: other } = await createTestDatabase()
    const closed = await createTestHub(other, { network })
    const message = owner.key.sign({ ...channel.update(owner).data, network })
    expect(await closed.submit([message])).toEqual([
      { code: 'bad_request.validation_failure', message: 'invalid message type' },
    ])
  }
})
