import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { encodeHubEvent, eventId, type HubEventBody } from '../../src/hub/log/hub-event.js'
import { buildBlocks, type ShardHead } from '../../src/hub/log/write.js'
import type { UpstreamClient, UpstreamEvent } from '../../src/hub/sync/client/upstream-client.js'
import { readEventHead } from '../../src/hub/sync/client/wire-page.js'
import { ShardSync } from '../../src/hub/sync/follow/shard-sync.js'
import { UpstreamRefusalLog } from '../../src/hub/sync/reconcile-queue.js'
import { allUsers } from '../../src/hub/sync/subset/selected-users.js'
import { HubEventType, StorageUnitType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { createTestDatabase } from '../database.js'
import { grantKey, keyOwnersOnChain, keyUser } from '../gasless-keys.js'
import { createTestHub } from '../hub.js'
import { TestUser, testKey, testNow } from '../network.js'
import { createRecordingLog, createRecordingMetrics } from './test-sync.js'

/** What a node of the network merges on its shard 0: it has no id, or is in the log of every shard. */

const { db } = await createTestDatabase({ poolSize: 8 })
const hub = await createTestHub(db)

beforeEach(async () => {
  await db`truncate sync.cursors, hub.applied_offsets`
  await hub.submitOnChainEvents(keyOwnersOnChain())
})

/** An event that merges a message, in its own block. */
type Logged = { readonly message: SignedMessage; readonly hasId?: boolean }

/** The events of a log in order, with the confirmations of its blocks. */
function logOf(entries: readonly Logged[]): UpstreamEvent[] {
  let head: ShardHead = { height: 0, blockHash: Buffer.alloc(32) }
  const events: UpstreamEvent[] = []
  const add = (bytes: Buffer) => events.push({ ...readEventHead(bytes), bytes })
  for (const { message, hasId = true } of entries) {
    const body: HubEventBody = { type: HubEventType.MERGE_MESSAGE, message, deletedMessages: [] }
    const block = buildBlocks(1, head, [{ fid: message.data.fid, body }], testNow)
    if (hasId) {
      head = block.head
      for (const event of block.events) add(encodeHubEvent(event))
    } else {
      add(encodeHubEvent({ shard: 1, id: 0, timestamp: testNow, body }))
    }
  }
  return events
}

/** An upstream that streams a log as one batch and ends. Its pages have only what has an id. */
function upstreamOf(log: readonly UpstreamEvent[]): UpstreamClient {
  return {
    address: 'stub.example:3383',
    call: () => Promise.reject(new Error('not called')),
    async *subscribe() {
      yield { events: log, hasMore: false }
    },
    async events({ from, stop = Number.MAX_SAFE_INTEGER, limit, reverse = false }) {
      const found = log.filter(({ id }) => id > 0 && id >= from && id < stop)
      return (reverse ? found.toReversed() : found).slice(0, limit)
    },
    close: () => {},
  }
}

/** Follows the log of one shard from its first event to its end. */
async function follow(entries: readonly Logged[], { shard = 1, shards = 1 } = {}): Promise<void> {
  const client = upstreamOf(logOf(entries))
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time)
    values (${client.address}, ${shard}::smallint, ${eventId(1, 0)}::bigint, 0)
  `
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const log = createRecordingLog()
  await new ShardSync({
    db,
    client,
    shard,
    shards,
    hub,
    trusted: true,
    selection: allUsers,
    log,
    refusals: new UpstreamRefusalLog(log),
    metrics: createRecordingMetrics(),
    clock: Date.now,
    signal: stopping.signal,
    onProgress: () => {},
  }).run()
}

test('keys that are granted by events without an id are all held', async () => {
  const keys = ['first', 'second', 'third'].map(testKey)
  const grants = await Promise.all(keys.map((key, index) => grantKey({ key, nonce: index + 1 })))
  await follow([
    { message: grants[0]!, hasId: false },
    { message: keyUser.cast('between', testNow) },
    { message: grants[1]!, hasId: false },
  ])
  await db`truncate sync.cursors`
  await follow([{ message: grants[2]!, hasId: false }])
  const held = await db<{ key: Buffer }[]>`select key from hub.gasless_keys`
  const hex = (key: Uint8Array) => Buffer.from(key).toString('hex')
  expect(held.map(({ key }) => hex(key)).sort()).toEqual(keys.map(({ publicKey }) => hex(publicKey)).sort())
  expect(await db`select from hub.messages where fid = ${keyUser.fid}`).toHaveLength(keys.length + 1)
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
      message: lender.lendStorage(keyUser.fid, count, units, testNow - 10 + n),
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
