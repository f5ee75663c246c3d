import { beforeEach, expect, test } from 'vitest'
import { HubEventType, StorageUnitType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createTestDatabase } from '../database.js'
import { grantKey, keyOwnersOnChain, keyUser, removeKey } from '../gasless-keys.js'
import { createTestHub } from '../hub.js'
import { TestUser, testKey, testNow } from '../network.js'
import { mergedHashes } from './hub-snapshot.js'
import { followShard, type Logged, logOf, startAtFirstEvent, upstreamOf } from './stub-upstream.js'

/** What a node of the network merges on its shard 0: it has no id, or is in the log of every shard. */

const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)

beforeEach(async () => {
  await db`truncate sync.cursors, hub.applied_offsets`
  await hub.submitOnChainEvents(keyOwnersOnChain())
})

/** Follows the log of one shard from its first event to its end. */
async function follow(entries: readonly Logged[], shard?: { shard: number; shards: number }): Promise<void> {
  const client = upstreamOf(logOf(entries))
  await startAtFirstEvent(db, client, shard?.shard)
  await followShard({ db, hub }, client, shard)
}

/** Returns the types of those messages that were never merged. */
async function unmerged(messages: readonly SignedMessage[]): Promise<number[]> {
  const merged = new Set(await mergedHashes(db))
  return messages.filter(({ hash }) => !merged.has(hash.toString('hex'))).map(({ data }) => data.type)
}

test('keys that are granted by events without an id are all held', async () => {
  const keys = ['first', 'second', 'third'].map(testKey)
  const grants = await Promise.all(keys.map((key, index) => grantKey({ key, nonce: index + 1 })))
  await follow([
    { messages: [grants[0]!], hasId: false },
    { messages: [keyUser.cast('between', testNow)] },
    { messages: [grants[1]!], hasId: false },
  ])
  await db`truncate sync.cursors`
  await follow([{ messages: [grants[2]!], hasId: false }])
  const held = await db<{ key: Buffer }[]>`select key from hub.gasless_keys`
  const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
  expect(held.map(({ key }) => hex(key)).sort()).toEqual(keys.map(({ publicKey }) => hex(publicKey)).sort())
  expect(await db`select from hub.messages where fid = ${keyUser.fid}`).toHaveLength(keys.length + 1)
})

/** The life of a key: granted with no id, used in a block after another cast, and removed with no id. */
async function keyLife(nonce: number) {
  const key = testKey(`life ${nonce}`)
  const other = keyUser.cast(`before ${nonce}`, testNow)
  const cast = key.sign(keyUser.cast(`by the key ${nonce}`, testNow).data)
  const removal = await removeKey(nonce + 1, 1, { key })
  const log = logOf([
    { messages: [await grantKey({ key, nonce })], hasId: false },
    { messages: [other, cast] },
    { messages: [removal], hasId: false },
    { messages: [keyUser.cast(`after ${nonce}`, testNow)] },
  ])
  const [granting, firstBlock, , castEvent, removing, ...nextBlock] = log
  return {
    log,
    /** The stream without the other cast. */
    beforeRemoval: [granting!, firstBlock!, castEvent!],
    removing: removing!,
    nextBlock,
    messages: [other, cast, removal],
  }
}

test('a key is removed after what it signed before in the same batch', async () => {
  const { log, messages } = await keyLife(10)
  const client = upstreamOf(log)
  await startAtFirstEvent(db, client)
  await followShard({ db, hub }, client)
  expect(await unmerged(messages)).toEqual([])
})

test('the removal of a key waits for what arrived before it and waits itself', async () => {
  const { log, beforeRemoval, removing, nextBlock, messages } = await keyLife(20)
  const client = upstreamOf(log, [beforeRemoval, [removing], nextBlock])
  await startAtFirstEvent(db, client)
  await followShard({ db, hub }, client)
  expect(await unmerged(messages)).toEqual([])
})

test('the stream ends while the removal of a key waits -> it is merged: no log has it', async () => {
  const { log, beforeRemoval, removing, messages } = await keyLife(30)
  const broken = upstreamOf(log, [beforeRemoval, [removing]])
  await startAtFirstEvent(db, broken)
  await followShard({ db, hub }, broken)
  await followShard({ db, hub }, upstreamOf(log.filter(({ id }) => id > 0)))
  expect(await unmerged(messages)).toEqual([])
})

test.each([
  [1, 2],
  [2, 1],
])(
  'a loan in the logs of shards %i and %i is merged and ended once, whichever is read first',
  async (...order) => {
    const lender = new TestUser(10 + order[0])
    await hub.submitOnChainEvents(lender.onChain({ units: 1_000 }))
    const units = StorageUnitType.UNIT_TYPE_2025
    const loan = [999, 0].map((count, n) => ({
      messages: [lender.lendStorage(keyUser.fid, count, units, testNow - 10 + n)],
    }))
    const lent: number[] = []
    for (const shard of order) {
      await follow(loan, { shard, shards: 2 })
      lent.push((await db`select from hub.messages where fid = ${lender.fid}`).length)
    }
    const types = await db<
      { type: number }[]
    >`select type from hub.events where fid = ${lender.fid} and type in (
    ${HubEventType.MERGE_MESSAGE}, ${HubEventType.PRUNE_MESSAGE}
  ) order by id`
    expect(lent).toEqual([0, 0])
    expect(types.map(({ type }) => type)).toEqual([
      HubEventType.MERGE_MESSAGE,
      HubEventType.MERGE_MESSAGE,
      HubEventType.PRUNE_MESSAGE,
    ])
  },
)
