import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { HubEventType } from '../../protocol/definitions.js'
import { type BlockRef, decodeHistory, encodeHistory, withBlocks } from './block-history.js'
import { type Consumer, type ConsumerCursor, consumeBatch, ensureCursors } from './consumer-batch.js'
import { createSingleFlightPages, openEndedRange } from './follow.js'
import { decodeHubEvent, eventId } from './hub-event.js'
import { AFTER_ALL_EVENTS } from './log-range.js'
import { type LogResetError, readHistory } from './log-reset.js'
import { ensurePartitions } from './partitions.js'
import { readEvents } from './read.js'
import { appendEvents, buildBlocks } from './write.js'

const { db } = await createTestDatabase()
const user = new TestUser(1)
const day = new Date(testNowUnix * 1000).toISOString().slice(0, 10)
let texts = 0

beforeEach(emptyLog)

async function emptyLog(): Promise<void> {
  await ensurePartitions(db, testNowUnix * 1000)
  await db`truncate hub.events, hub.shards, hub.consumers`
  await db`insert into hub.shards (shard) values (1)`
}

/** Appends a block of casts, like a merge. */
async function append(count: number): Promise<void> {
  const pending = Array.from({ length: count }, () => {
    texts += 1
    const message = user.cast(`cast ${texts}`, testNow)
    return { fid: 1, body: { type: HubEventType.MERGE_MESSAGE, message, deletedMessages: [] } as const }
  })
  await db.begin(async (transaction) => {
    const [row] = await transaction<
      { height: number; block_hash: Buffer }[]
    >`select * from hub.shards for update`
    const { events, head } = buildBlocks(
      1,
      { height: row!.height, blockHash: row!.block_hash },
      pending,
      testNow,
    )
    await appendEvents(transaction, 1, events, head, day)
  })
}

/** Puts the log back by some blocks, and nothing else. */
async function goBack(blocks: number): Promise<void> {
  const [row] = await db<{ height: number }[]>`select height from hub.shards`
  const height = Math.max(0, row!.height - blocks)
  await db`delete from hub.events where id >= ${eventId(height + 1, 0)}`
  const { confirmations } = await readEvents(
    db,
    [{ shard: 1, from: eventId(height, 0), stop: AFTER_ALL_EVENTS }],
    {
      limit: 1,
      reverse: false,
    },
  )
  const [confirmation] = confirmations
  const { blockConfirmedBody } = confirmation ? decodeHubEvent(confirmation.event) : {}
  const blockHash = height > 0 ? Buffer.from(blockConfirmedBody!.blockHash) : Buffer.alloc(32)
  await db`update hub.shards set height = ${height}, block_hash = ${blockHash}`
}

/** Runs a consumer and notes what it is told. */
class Reader {
  readonly told: string[] = []
  resets = 0
  #expected: ConsumerCursor | undefined
  readonly #consumer: Consumer = {
    name: 'reader',
    from: 'oldest',
    types: [HubEventType.MERGE_MESSAGE],
    handle: async (_db, events) => {
      for (const { body } of events) if ('message' in body) this.told.push(hex(body.message.hash))
      return []
    },
  }

  async start(): Promise<this> {
    await ensureCursors(db, this.#consumer, [1])
    return this
  }

  /** Another process goes on: it knows nothing of where this one was. */
  restart(): void {
    this.#expected = undefined
  }

  async read(limit: number): Promise<boolean> {
    const { signal } = new AbortController()
    const outcome = await consumeBatch(db, this.#consumer, {
      shard: 1,
      limit,
      signal,
      expected: this.#expected,
    })
    if (outcome.state === 'busy') throw new Error('nobody else reads')
    this.#expected = outcome.cursor
    if (outcome.reset) this.resets += 1
    return outcome.state === 'more'
  }

  async readAll(): Promise<void> {
    while (await this.read(100));
  }
}

const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')

async function logged(): Promise<string[]> {
  const { events } = await readEvents(db, [{ shard: 1, from: 0, stop: AFTER_ALL_EVENTS }], {
    limit: 10_000,
    reverse: false,
    filter: { fids: null, types: [HubEventType.MERGE_MESSAGE] },
  })
  return events.map(({ event }) => hex(decodeHubEvent(event).mergeMessageBody!.message!.hash))
}

test('a consumer whose cursor did not go back with the log -> rewinds to the fork and is told nothing twice', async () => {
  const reader = await new Reader().start()
  for (let block = 0; block < 5; block += 1) await append(2)
  await reader.readAll()
  const kept = (await logged()).slice(0, 6)
  await goBack(2)
  for (let block = 0; block < 3; block += 1) await append(3)
  reader.told.length = 0
  await reader.readAll()
  const now = await logged()
  expect(now.slice(0, 6)).toEqual(kept)
  expect(reader.told).toEqual(now.slice(6))
  expect(reader.resets).toBe(1)
})

test('a log that went back before it grew -> the consumer rewinds at once', async () => {
  const reader = await new Reader().start()
  for (let block = 0; block < 3; block += 1) await append(1)
  await reader.readAll()
  await goBack(1)
  await reader.readAll()
  await append(1)
  await reader.readAll()
  expect(reader.told.slice(3)).toEqual((await logged()).slice(2))
  expect(reader.resets).toBe(1)
})

test('a log that goes back any time -> each event that is there once, in order, and never one that is gone', async () => {
  const step = fc.oneof(
    fc.record({ append: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ read: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ goBack: fc.integer({ min: 1, max: 6 }) }),
    fc.constant({ restart: true as const }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      await emptyLog()
      const reader = await new Reader().start()
      for (const each of steps) {
        if ('append' in each) await append(each.append)
        else if ('goBack' in each) await goBack(each.goBack)
        else if ('restart' in each) reader.restart()
        else {
          const before = reader.told.length
          await reader.read(each.read)
          const present = await logged()
          expect(reader.told.slice(before).filter((hash) => !present.includes(hash))).toEqual([])
        }
      }
      await reader.readAll()
      const present = await logged()
      expect(reader.told.filter((hash) => present.includes(hash))).toEqual(present)
    }),
    { numRuns: 40 },
  )
})

test('a history has the last 32 blocks, and older ones at most twice as far away as any', () => {
  const ref = (height: number): BlockRef => ({ height, hash: height.toString(16).padStart(16, '0') })
  const steps = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(steps, (counts) => {
      let history: readonly BlockRef[] = []
      let height = 0
      for (const count of counts) {
        history = withBlocks(
          history,
          Array.from({ length: count }, (_, index) => ref(height + index + 1)),
        )
        height += count
      }
      const distances = history.map((block) => height - block.height)
      const recent = Array.from({ length: Math.min(32, height) }, (_, index) => index)
      expect(distances.slice(0, recent.length)).toEqual(recent)
      for (let distance = 1; 2 * distance < height; distance *= 2) {
        expect(distances.some((each) => each >= distance && each <= 2 * distance)).toBe(true)
      }
      expect(history.length).toBeLessThan(32 + 2 * 20)
      expect(decodeHistory(encodeHistory(history))).toEqual(history)
    }),
  )
})

test('blocks of other on-chain events have other hashes', () => {
  const head = { height: 0, blockHash: Buffer.alloc(32) }
  const [first, second] = user.onChain()
  const hashes = [first!, second!].map((onChainEvent) => {
    const pending = [{ fid: 1, body: { type: HubEventType.MERGE_ON_CHAIN_EVENT, onChainEvent } as const }]
    return hex(buildBlocks(1, head, pending, testNow).head.blockHash)
  })
  expect(new Set(hashes).size).toBe(2)
})

test('readers that share a page continue where each has left the log, as far as each remembers', async () => {
  for (let blocks = 1; blocks <= 6; blocks += 1) await append(1)
  const known = await readHistory(db, 1, eventId(6, 1))
  await goBack(2)
  await append(1)
  await append(1)
  const readPage = createSingleFlightPages(db, (events) => events.map(({ id }) => id))
  const newest = known[0]!
  const kept = await readHistory(db, 1, eventId(4, 1))
  const readersOf = [[newest], [newest, ...kept]]
  const resets = await Promise.all(
    readersOf.map((history) =>
      readPage([{ ...openEndedRange(1, eventId(6, 2)), history }], null).catch(
        (error: LogResetError) => error.reset.nextId,
      ),
    ),
  )
  expect(resets).toEqual([0, eventId(5, 0)])
})
