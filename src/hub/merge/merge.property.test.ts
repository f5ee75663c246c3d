import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { decodeStoredMessage, fromProtobuf } from '../../protocol/codec.js'
import {
  HubEventType,
  type MessageType,
  Protocol,
  ReactionType,
  MessageType as Type,
} from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { decodeHubEvent } from '../log/hub-event.js'
import { ensurePartitions } from '../log/partitions.js'
import { mergeBatch } from './merge.js'
import { conflictKeyOf } from './merge-message.js'
import { compareCandidates } from './resolve-conflict.js'
import { conflictKeyId } from './stored-message.js'
import { remainingLinks } from './testing/link-histories.js'

// Hundreds of small transactions: seconds alone, a minute on a busy machine.
const users = [1, 2, 3].map((fid) => new TestUser(fid))
const parent = users[0]!.cast('the cast that everybody likes', testNow - 5000)
const settings = { shards: 1, hooks: [] }

const tables = [
  'hub.messages',
  'hub.cast_mentions',
  'hub.set_counts',
  'hub.events',
  'hub.onchain_events',
  'hub.fids',
  'hub.signers',
  'hub.storage_rents',
  'hub.shards',
  'hub.username_proofs',
  'hub.pruned_messages',
  'hub.link_cutoffs',
]

const { db } = await createTestDatabase()

beforeAll(() => ensurePartitions(db, testNowUnix * 1000))
beforeEach(() => reset())

async function reset(units = 50): Promise<void> {
  // Deleting a few rows takes a fraction of the time of a truncation, which creates new files.
  await db.unsafe(`
    ${tables.map((table) => `delete from ${table};`).join('\n')}
    insert into hub.shards (shard) values (1);
  `)
  await merge(
    [],
    users.flatMap((user) => user.onChain({ units })),
  )
}

async function merge(
  messages: SignedMessage[],
  chainEvents = users.slice(0, 0).flatMap((user) => user.onChain()),
) {
  return await mergeBatch(db, 1, { messages, chainEvents, nameTransfers: [] }, settings, testNowUnix * 1000)
}

/** Few seconds and few targets, so that messages collide in every way, with equal timestamps too. */
const second = fc.integer({ min: testNow - 30, max: testNow - 1 })
const user = fc.constantFrom(...users)
const flag = fc.boolean()

const castOrRemove = fc
  .tuple(
    user,
    second,
    fc.integer({ min: 0, max: 3 }),
    second,
    fc.constantFrom('cast', 'remove', 'both'),
    fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  )
  .map(([author, at, text, removedAt, which, mentions]) => {
    const cast = author.cast(`cast ${text}`, at, { mentions, mentionsPositions: mentions.map(() => 0) })
    const remove = author.removeCast(cast.hash, removedAt)
    return which === 'both' ? [cast, remove] : [which === 'cast' ? cast : remove]
  })
const reaction = fc
  .tuple(user, second, flag, fc.constantFrom(ReactionType.LIKE, ReactionType.RECAST))
  .map(([author, at, remove, type]) => [author.react(parent, at, { remove, type })])
const block = fc
  .tuple(user, fc.integer({ min: 1, max: 4 }), second, flag)
  .map(([author, target, at, remove]) => [author.link(target, at, { remove, type: 'block' })])
const userData = fc
  .tuple(user, fc.constantFrom(1, 2, 3), fc.integer({ min: 0, max: 2 }), second)
  .map(([author, type, value, at]) => [author.userData(type, `value ${value}`, at)])
const verification = fc
  .tuple(user, fc.integer({ min: 1, max: 3 }), second, flag)
  .map(([author, address, at, remove]) => [verify(author, address, at, remove)])

function verify(author: TestUser, address: number, at: number, remove: boolean): SignedMessage {
  const bytes = Buffer.alloc(20, address)
  if (remove) {
    const verificationRemoveBody = { address: bytes, protocol: Protocol.ETHEREUM }
    return author.message({ type: Type.VERIFICATION_REMOVE, verificationRemoveBody }, at)
  }
  const verificationAddAddressBody = {
    address: bytes,
    claimSignature: Buffer.alloc(65),
    blockHash: Buffer.alloc(32),
    verificationType: 0,
    chainId: 0,
    protocol: Protocol.ETHEREUM,
  }
  return author.message({ type: Type.VERIFICATION_ADD_ETH_ADDRESS, verificationAddAddressBody }, at)
}

/** Follows of any user, and compact states with any targets. */
const follow = fc
  .tuple(user, fc.integer({ min: 1, max: 4 }), second, flag)
  .map(([author, target, at, remove]) => [author.link(target, at, { remove })])
const compactState = fc
  .tuple(user, fc.subarray([1, 2, 3, 4], { minLength: 1 }), second, fc.constantFrom('follow', 'block'))
  .map(([author, targets, at, type]) => [author.compactLinks(targets, at, type)])

const history = fc
  .array(fc.oneof(castOrRemove, reaction, follow, block, compactState, userData, verification), {
    maxLength: 50,
  })
  .map((steps) => {
    // Two steps may make the same message, and repetitions are part of the arrival.
    const byHash = new Map(steps.flat().map((message) => [message.hash.toString('hex'), message]))
    return [...byHash.values()]
  })

/** The rules in their simplest form: of all messages with one conflict key, the winner. */
function winners(messages: readonly SignedMessage[]): SignedMessage[] {
  const best = new Map<string, SignedMessage>()
  for (const message of messages) {
    const conflictKey = conflictKeyOf(message)!
    const name = conflictKeyId(conflictKey)
    const other = best.get(name)
    if (!other || compareCandidates(contender(message), contender(other)) > 0) best.set(name, message)
  }
  return [...best.values()]
}

function contender(message: SignedMessage) {
  const { data, hash } = message
  return { set: conflictKeyOf(message)!.set, type: data.type, ts: data.timestamp, hash }
}

/** What the rules leave of messages: winners, and for links docs/protocol.md §4.3.1. */
function remaining(messages: readonly SignedMessage[]): SignedMessage[] {
  const isLink = (message: SignedMessage) => conflictKeyOf(message)!.set === MessageSet.links
  return [
    ...winners(messages.filter((message) => !isLink(message))),
    ...remainingLinks(messages.filter(isLink)),
  ]
}

function hashesOf(messages: readonly SignedMessage[]): string[] {
  return messages.map((message) => message.hash.toString('hex')).sort()
}

async function storedHashes(): Promise<string[]> {
  const rows = await db<{ message: Buffer }[]>`select message from hub.messages`
  return hashesOf(rows.map((row) => decodeStoredMessage(row.message)))
}

/** Mentions in the table, and in stored casts. */
async function mentions(): Promise<{ listed: string[]; stored: string[] }> {
  const listed = await db<{ mention: string }[]>`
    select concat_ws(' ', mentioned_fid, ts, encode(hash, 'hex'), fid) as mention from hub.cast_mentions
  `
  const rows = await db<{ message: Buffer }[]>`select message from hub.messages`
  const stored = rows
    .map((row) => decodeStoredMessage(row.message))
    .flatMap(({ data, hash }) =>
      [...new Set(data.castAddBody?.mentions)].map(
        (fid) => `${fid} ${data.timestamp} ${hex(hash)} ${data.fid}`,
      ),
    )
  return { listed: listed.map(({ mention }) => mention).sort(), stored: stored.sort() }
}

/** The state of a reader of the log. */
async function replayedHashes(): Promise<string[]> {
  const rows = await db<{ event: Buffer }[]>`select event from hub.events order by id`
  const held = new Set<string>()
  for (const row of rows) {
    const event = decodeHubEvent(row.event)
    if (event.type === HubEventType.MERGE_MESSAGE) {
      for (const deleted of event.mergeMessageBody!.deletedMessages) held.delete(hex(deleted.hash))
      const message = fromProtobuf(event.mergeMessageBody!.message!)
      if (message.data.type === Type.LINK_COMPACT_STATE) dropCompacted(held, message)
      held.add(hex(message.hash))
      known.set(hex(message.hash), message)
    }
    const dropped = event.pruneMessageBody?.message ?? event.revokeMessageBody?.message
    if (dropped) held.delete(hex(dropped.hash))
  }
  return [...held].sort()
}

const known = new Map<string, SignedMessage>()
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The log leaves out what a compact state displaced (docs/protocol.md §1.4): a reader applies the rule. */
function dropCompacted(held: Set<string>, compact: SignedMessage): void {
  const { type, targetFids } = compact.data.linkCompactStateBody!
  for (const name of held) {
    const { data } = known.get(name)!
    if (data.fid !== compact.data.fid || data.timestamp > compact.data.timestamp) continue
    const isOlderCompact = data.linkCompactStateBody?.type === type
    const isDead =
      data.linkBody?.type === type &&
      (data.type === Type.LINK_REMOVE || !targetFids.includes(data.linkBody.targetFid!))
    if (isOlderCompact || isDead) held.delete(name)
  }
}

/** Any order, any split into batches, and some messages twice. */
const arrival = history.chain((messages) =>
  fc
    .tuple(
      fc.shuffledSubarray(messages, { minLength: messages.length, maxLength: messages.length }),
      fc.subarray(messages),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 30 }),
    )
    .map(([shuffled, again, cuts]) => ({ messages, batches: cut([...shuffled, ...again], cuts) })),
)

function cut(messages: SignedMessage[], sizes: number[]): SignedMessage[][] {
  const batches: SignedMessage[][] = []
  for (let start = 0, turn = 0; start < messages.length; turn += 1) {
    const size = sizes[turn % sizes.length]!
    batches.push(messages.slice(start, start + size))
    start += size
  }
  return batches
}

test('any order, batches and repetitions of messages -> the state of the rules', async () => {
  await fc.assert(
    fc.asyncProperty(arrival, async ({ messages, batches }) => {
      await reset()
      for (const batch of batches) await merge(batch)
      expect(await storedHashes()).toEqual(hashesOf(remaining(messages)))
      const { listed, stored } = await mentions()
      expect(listed).toEqual(stored)
    }),
    { numRuns: 100 },
  )
})

test('replaying the log yields the stored state, and counts match rows', async () => {
  await fc.assert(
    fc.asyncProperty(arrival, async ({ batches }) => {
      await reset()
      for (const batch of batches) await merge(batch)
      expect(await replayedHashes()).toEqual(await storedHashes())
      expect(await miscounted()).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('a full set keeps the highest messages by time and hash, in any order of arrival', async () => {
  const addresses = fc.uniqueArray(fc.integer({ min: 1, max: 200 }), { minLength: 6, maxLength: 14 })
  const full = addresses.chain((list) => {
    const messages = list.map((address) => verify(users[0]!, address, testNow - address, false))
    return fc.tuple(
      fc.shuffledSubarray(messages, { minLength: messages.length }),
      fc.integer({ min: 1, max: 5 }),
    )
  })
  await fc.assert(
    fc.asyncProperty(full, async ([messages, size]) => {
      await reset(1)
      for (const batch of cut(messages, [size])) await merge(batch)
      const highest = [...messages].sort((a, b) => b.data.timestamp - a.data.timestamp).slice(0, 5)
      expect(await storedHashes()).toEqual(hashesOf(highest))
      expect(await replayedHashes()).toEqual(hashesOf(highest))
      expect(await miscounted()).toEqual([])
    }),
    { numRuns: 40 },
  )
})

test('event ids have no gap within a block and are unique', async () => {
  await fc.assert(
    fc.asyncProperty(arrival, async ({ batches }) => {
      await reset()
      for (const batch of batches) await merge(batch)
      const rows = await db<{ id: number; event: Buffer }[]>`select id, event from hub.events order by id`
      const ids = rows.map((row) => row.id)
      expect(new Set(ids).size).toBe(ids.length)
      for (const [index, id] of ids.entries()) {
        if (id % 16_384 !== 0) expect(ids[index - 1]).toBe(id - 1)
        else if (index > 0) expect(Math.floor(ids[index - 1]! / 16_384)).toBe(id / 16_384 - 1)
      }
    }),
    { numRuns: 30 },
  )
})

test('pruned casts are not found by their mentions', async () => {
  await reset(1)
  const casts = Array.from({ length: 106 }, (_, n) =>
    users[0]!.cast(`cast ${n}`, testNow - 500 + n, { mentions: [2, 3], mentionsPositions: [0, 0] }),
  )
  await merge(casts.slice(3))
  await merge(casts.slice(0, 3))
  const { listed, stored } = await mentions()
  expect(listed).toHaveLength(200)
  expect(listed).toEqual(stored)
})

/** Sets whose count differs from the number of their rows. */
async function miscounted() {
  return await db<{ fid: number; set: number; type: MessageType }[]>`
    select coalesce(c.fid, r.fid) as fid, coalesce(c.set, r.set) as set, c.count, r.rows
    from hub.set_counts c
    full join (select fid, set, count(*) as rows from hub.messages group by fid, set) r using (fid, set)
    where coalesce(c.count, 0) <> coalesce(r.rows, 0)
  `
}
