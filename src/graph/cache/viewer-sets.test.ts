import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow } from '../../../test/network.js'
import { mute } from '../../features/moderation/relations.js'
import { eventId } from '../../hub/log/hub-event.js'
import { HubEventType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { SortedTuples } from './sorted-tuples.js'
import { LogProcess } from './testing/log-process.js'
import { CastSet, UserSets } from './user-sets.js'

const { db } = await createTestDatabase()
await db`insert into hub.shards (shard, height) values (1, 0)`
const alice = new TestUser(1)
const cast = new TestUser(2).cast('a cast', testNow)
const hash = cast.hash.toString('hex')
const likeRow = {
  fid: 1,
  type: 1,
  target_hash: cast.hash,
  target_fid: 2,
  ts: testNow,
  signer: Buffer.alloc(0),
}

async function createProcess(maxBytes = 1e6): Promise<LogProcess> {
  const process = new LogProcess(db, 1, maxBytes)
  process.hydrator.invalidation.blocks.start(new Map([[1, 0]]))
  return process
}

/** A block of the log with these merges. */
const block = (height: number, ...messages: SignedMessage[]) =>
  messages.map((message, index) => ({
    shard: 1,
    id: eventId(height, index),
    body: { type: HubEventType.MERGE_MESSAGE as const, message, deletedMessages: [] },
  }))

beforeEach(async () => {
  await db`truncate social.reactions, social.follows, social.user_counts, moderation.mutes`
  await db`update hub.shards set height = 0`
})

test('a mute during the read -> the user is read again', async () => {
  const process = await createProcess()
  process.hold()
  const loading = process.hydrator.viewerSets.load(1)
  await process.read()
  await mute({ db, invalidation: process.hydrator.invalidation }, 1, 2, 1)
  process.release()
  expect((await loading)?.isHidden(2)).toBe(true)
})

test('a mute while another user of the batch is read again -> the sets of before it are not handed out', async () => {
  const process = await createProcess()
  const { viewerSets, invalidation } = process.hydrator
  process.hold()
  const both = Promise.all([viewerSets.load(1), viewerSets.load(2)])
  await process.read()
  await mute({ db, invalidation }, 2, 3, 1)
  const readAgain = process.read()
  process.release()
  process.hold()
  await readAgain
  await mute({ db, invalidation }, 1, 3, 1)
  const joined = viewerSets.load(1)
  process.release()
  const [[, again], after] = await Promise.all([both, joined])
  expect([after?.isHidden(3) ?? 'from the tables', again?.isHidden(3)]).toEqual(['from the tables', true])
})

test('blocks that the snapshot contains are not applied again', async () => {
  const process = await createProcess()
  const { viewerSets, invalidation } = process.hydrator
  await db`insert into social.reactions ${db(likeRow)}`
  await db`update hub.shards set height = 1`
  const sets = (await viewerSets.load(1))!
  expect([sets.liked.has(hash, 2), sets.size]).toEqual([true, 1])
  const like = alice.react(cast, testNow)
  invalidation.blocks.read(block(1, like), true)
  expect(sets.size).toBe(1)
  const unlike = {
    type: HubEventType.MERGE_MESSAGE as const,
    message: alice.react(cast, testNow + 1, { remove: true }),
  }
  invalidation.blocks.read(
    [{ shard: 1, id: eventId(2, 0), body: { ...unlike, deletedMessages: [like] } }],
    true,
  )
  expect([sets.liked.has(hash, 2), sets.size]).toEqual([false, 0])
})

test('a like that names a wrong author -> the cast is not liked, whenever it arrives', async () => {
  const process = await createProcess()
  const { viewerSets, invalidation } = process.hydrator
  await db`insert into social.reactions ${db({ ...likeRow, target_fid: 3 })}`
  const sets = (await viewerSets.load(1))!
  expect([sets.liked.has(hash, 2), sets.liked.has(hash, 3), sets.size]).toEqual([false, true, 1])
  invalidation.blocks.read(block(1, alice.react(cast, testNow)), true)
  expect([sets.liked.has(hash, 2), sets.size]).toEqual([true, 2])
  const wrong = alice.react({ ...cast, data: { ...cast.data, fid: 3 } }, testNow)
  const body = {
    type: HubEventType.MERGE_MESSAGE as const,
    message: alice.react({ ...cast, data: { ...cast.data, fid: 3 } }, testNow + 1, { remove: true }),
  }
  invalidation.blocks.read(
    [{ shard: 1, id: eventId(2, 0), body: { ...body, deletedMessages: [wrong] } }],
    true,
  )
  expect([sets.liked.has(hash, 2), sets.liked.has(hash, 3), sets.size]).toEqual([true, false, 1])
})

test('likes of one hash below many authors are all found, read in the order of another key', async () => {
  const process = await createProcess()
  const fids = Array.from({ length: 40 }, (_, n) => n * 7 + 1)
  await db`insert into social.reactions ${db(fids.map((target_fid) => ({ ...likeRow, target_fid })))}`
  const sets = (await process.hydrator.viewerSets.load(1))!
  expect(sets.size).toBe(40)
  expect(fids.filter((fid) => !sets.liked.has(hash, fid))).toEqual([])
  expect(fids.filter((fid) => sets.liked.has(hash, fid + 1))).toEqual([])
})

test('likes of one key, also of a hash with zeros, come and go one by one', () => {
  for (const prefix of ['00000000'.repeat(3), '0000000a00000b00000c0000', 'ff00000000000000000000ff']) {
    const words = [0, 8, 16].map((start) => Number.parseInt(prefix.slice(start, start + 8), 16))
    const set = new CastSet(Uint32Array.from([...words, ...words, 0xffff_ffff, 1, 2]))
    const full = prefix.padEnd(40, '0')
    // Fids are compared by their low 32 bits.
    set.add(full, 2 ** 32)
    expect(set.size).toBe(4)
    for (const isLeft of [true, true, false]) {
      set.delete(full, 0)
      expect(set.has(full, 0)).toBe(isLeft)
    }
    expect(set.size).toBe(1)
    expect(set.has('ffffffff00000001000000030000000000000000', 1)).toBe(true)
  }
  expect(new CastSet().has('00'.repeat(20), 0)).toBe(false)
})

test('who is unfollowed leaves the order of follows', () => {
  const row = (fids: number[]) => Uint32Array.from(fids)
  const names = ['followed', 'followers', 'blocking', 'blockers', 'muting', 'liked', 'recasted']
  const none = Object.fromEntries(names.map((name) => [name, row([])]))
  const sets = new UserSets(1, { ...none, followed: row([10, 7, 20, 5]), followers: row([9, 8]) } as never)
  expect(sets.byteLength - new UserSets(2, none as never).byteLength).toBe(4 * 8)
  sets.addFollowed(6, 15)
  sets.addFollowed(6, 30)
  expect([...sets.followedInOrder]).toEqual([7, 6, 5])
  expect([0, 2, 3, -1, -3, -4].map((index) => sets.followedInOrder.at(index))).toEqual([
    7,
    5,
    undefined,
    5,
    7,
    undefined,
  ])
  expect([[...sets.following], [...sets.followers], sets.size]).toEqual([[5, 6, 7], [8, 9], 5])
  sets.removeFollowed(7, 10)
  sets.removeFollowed(4, 20)
  expect([[...sets.followedInOrder], sets.following.has(7)]).toEqual([[6, 5], false])
})

test('a whole list of follows -> its user is read again, and those whom it left', async () => {
  const process = await createProcess()
  const { viewerSets, invalidation } = process.hydrator
  for (const target of [2, 3])
    await db`insert into social.follows (fid, target_fid, ts, signer) values (1, ${target}, 1, '')`
  for (const fid of [1, 2, 3, 4]) await viewerSets.load(fid)
  invalidation.blocks.read(block(1, alice.compactLinks([3], testNow)), true)
  expect([1, 2, 3, 4].map((fid) => viewerSets.get(fid) !== undefined)).toEqual([false, false, true, true])
  await viewerSets.load(1)
  const many = Array.from({ length: 17 }, (_, n) => new TestUser(100 + n).compactLinks([], testNow))
  invalidation.blocks.read(block(2, ...many), true)
  expect([viewerSets.size, viewerSets.bytes]).toEqual([0, 0])
})

test('too many relations, or a fid beyond 32 bits -> null, without another statement for a while', async () => {
  const process = await createProcess()
  const { viewerSets } = process.hydrator
  await db`insert into social.user_counts (fid, follower_count) values (1, 50001)`
  await db`insert into social.follows (fid, target_fid, ts, signer) values (2, ${2 ** 32}, 1, '')`
  for (const fid of [1, 2]) {
    expect(await viewerSets.load(fid)).toBeNull()
    expect(await viewerSets.load(fid)).toBeNull()
  }
  expect(viewerSets.lookups).toEqual({ hit: 0, miss: 2, large: 2 })
})

test('the least recently used sets make room; 0 bytes keep nothing', async () => {
  const process = await createProcess(5_000)
  const { viewerSets } = process.hydrator
  for (const fid of [1, 2, 1, 3]) await viewerSets.load(fid)
  expect([1, 2, 3].map((fid) => viewerSets.get(fid) !== undefined)).toEqual([true, false, true])
  expect(viewerSets.bytes).toBeLessThanOrEqual(5_000)
  expect(await (await createProcess(0)).hydrator.viewerSets.load(1)).toBeNull()
})

test('sorted tuples equal a set after any changes', () => {
  const tuple = fc.tuple(fc.nat(3), fc.constantFrom(0, 1, 0xffff_ffff), fc.nat(2))
  fc.assert(
    fc.property(fc.constantFrom(1, 2, 3), fc.array(fc.tuple(fc.boolean(), tuple)), (stride, changes) => {
      const tuples = new SortedTuples(stride as 1 | 2 | 3)
      const model = new Map<string, number[]>()
      for (const [adds, words] of changes) {
        const [a, b = 0, c = 0] = words.slice(0, stride) as [number, number?, number?]
        const key = String([a, b, c])
        expect(tuples.has(a, b, c)).toBe(model.has(key))
        expect(adds ? tuples.add(a, b, c) : tuples.delete(a, b, c)).toBe(adds !== model.has(key))
        if (adds) model.set(key, [a, b, c].slice(0, stride))
        else model.delete(key)
      }
      const sorted = [...model.values()].sort(
        (x, y) => x[0]! - y[0]! || (x[1] ?? 0) - (y[1] ?? 0) || (x[2] ?? 0) - (y[2] ?? 0),
      )
      const words = Array.from({ length: tuples.size }, (_, index) =>
        Array.from({ length: stride }, (_, column) => tuples.word(index, column)),
      )
      expect(words).toEqual(sorted)
    }),
  )
})
