import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { eventId } from '../../log/hub-event.js'
import { AFTER_ALL_EVENTS } from '../../log/log-range.js'
import { ensurePartitions } from '../../log/partitions.js'
import { mergeBatch } from '../../merge/merge.js'
import { EventCache } from './event-cache.js'
import { createJsonPageReader } from './event-pages.js'

const statements: string[] = []
const { db } = await createTestDatabase({ onStatement: (sql) => statements.push(sql) })

beforeEach(async () => {
  await ensurePartitions(db, testNowUnix * 1000)
  await db`truncate hub.events, hub.shards`
  await db`insert into hub.shards (shard) values (1), (2)`
  statements.length = 0
})

async function append(ids: readonly number[]): Promise<void> {
  await db`
    insert into hub.events (day, shard, id, type, event)
    select '2026-11-01', 1, id, ${HubEventType.MERGE_MESSAGE}::smallint, '' from unnest(${[...ids]}::bigint[]) id
  `
}

function range(from: number, stop = AFTER_ALL_EVENTS) {
  return [{ shard: 1, from, stop }]
}

/** Number of times that events were read from the database. */
function reads(): number {
  return statements.filter((sql) => sql.includes('from hub.events')).length
}

function idsOf(page: { events: readonly Buffer[] }): number[] {
  return JSON.parse(`[${page.events.join()}]`).map((event: { id: number }) => event.id)
}

test('cached page -> not read again, wherever the next request starts in it', async () => {
  await append([1, 2, 3, 5, 8, 13])
  const readPage = createJsonPageReader()
  const options = { limit: 3, reverse: false }
  const first = await readPage(db, range(1), { limit: 5, reverse: false })
  expect(idsOf(first)).toEqual([1, 2, 3, 5, 8])
  const again = await readPage(db, range(3), { limit: 2, reverse: false })
  expect([idsOf(again), again.next, again.remaining]).toEqual([[3, 5], { shard: 1, id: 8 }, range(6)])
  const bounded = await readPage(db, range(1, 3), options)
  expect([idsOf(bounded), bounded.next, bounded.remaining]).toEqual([[1, 2], null, range(3, 3)])
  expect(reads()).toBe(1)
})

test('the end of the log -> read from the database each time', async () => {
  await append([1, 2])
  const readPage = createJsonPageReader()
  const options = { limit: 10, reverse: false }
  expect(idsOf(await readPage(db, range(1), options))).toEqual([1, 2])
  await append([3])
  expect(idsOf(await readPage(db, range(1), options))).toEqual([1, 2, 3])
})

test('events that retention has dropped -> not served from the cache', async () => {
  await append([1, 2, 3, 4])
  const readPage = createJsonPageReader()
  const options = { limit: 2, reverse: false }
  await readPage(db, range(0), { limit: 4, reverse: false })
  await readPage(db, range(1), { limit: 4, reverse: false })
  await db`delete from hub.events where id < 3`
  await db`update hub.shards set first_retained_id = 3 where shard = 1`
  await expect(readPage(db, range(1), options)).rejects.toMatchObject({ code: 'not_found.event_dropped' })
  expect(idsOf(await readPage(db, range(0), options))).toEqual([3, 4])
})

test('any cache size, growing log -> the same pages', async () => {
  const step = fc.oneof(
    fc.record({ append: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ from: fc.integer({ min: 0, max: 60 }), limit: fc.integer({ min: 1, max: 8 }) }),
  )
  const bytes = fc.constantFrom(0, 1_000, 5_000, 1_000_000)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), bytes, async (steps, maxBytes) => {
      await db`truncate hub.events`
      const [plain, remembering] = [
        createJsonPageReader(new EventCache(0)),
        createJsonPageReader(new EventCache(maxBytes)),
      ]
      let last = 0
      for (const each of steps) {
        if ('append' in each) {
          last += each.append
          await append([last])
        } else {
          const requests = range(each.from)
          const options = { limit: each.limit, reverse: false }
          const [cached, read] = [
            await remembering(db, requests, options),
            await plain(db, requests, options),
          ]
          expect({ ...cached, events: cached.events.join() }).toEqual({ ...read, events: read.events.join() })
        }
      }
    }),
    { numRuns: 40 },
  )
})

test('the cache stays within its size and evicts the oldest slices', () => {
  const slice = (from: number, id = from) => ({
    from,
    ids: [id],
    ends: [300],
    json: Buffer.alloc(300),
    block: null,
  })
  const cache = new EventCache(1_100)
  cache.add(1, slice(0, 1))
  for (const id of [2, 3]) cache.add(1, slice(id))
  expect(cache.get({ shard: 1, from: 0, stop: AFTER_ALL_EVENTS }, 1)).toBeNull()
  expect(cache.get({ shard: 1, from: 2, stop: AFTER_ALL_EVENTS }, 1)).toMatchObject({ lastId: 2, nextId: 3 })
  expect(cache.get({ shard: 2, from: 2, stop: AFTER_ALL_EVENTS }, 1)).toBeNull()
})

test('a replica that lags -> answers for itself, and leaves the cache as it is', async () => {
  const user = new TestUser(1)
  const texts = ['one', 'two', 'three']
  for (const [index, text] of texts.entries()) {
    const chainEvents = index === 0 ? user.onChain() : []
    const batch = { messages: [user.cast(text, testNow)], chainEvents, nameTransfers: [] }
    await mergeBatch(db, 1, batch, { shards: 1, hooks: [] }, testNowUnix * 1000)
  }
  const { db: replica } = await createTestDatabase()
  await ensurePartitions(replica, testNowUnix * 1000)
  const rows = await db`select * from hub.events where id < ${eventId(3, 0)} order by id`
  await replica`insert into hub.events ${replica(rows)}`
  await replica`insert into hub.shards (shard, height) values (1, 2)`

  const readPage = createJsonPageReader()
  const page = { limit: 1_000, reverse: false }
  const all = idsOf(await readPage(db, range(1), page))
  const newest = { limit: 1, reverse: false }
  const from = range(all.at(-2)!)
  expect(idsOf(await readPage(replica, from, newest))).toEqual([])
  statements.length = 0
  expect(idsOf(await readPage(db, from, newest))).toEqual([all.at(-2)])
  expect(reads()).toBe(0)
})
