import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { testNowUnix } from '../../../test/network.js'
import type { Database } from '../../platform/db/connection.js'
import { HubEventType } from '../../protocol/definitions.js'
import { AFTER_ALL_EVENTS, type ShardRange } from './log-range.js'
import { dropExpiredPartitions, ensurePartitions } from './partitions.js'
import { readEvent, readEvents, readLogEnds } from './read.js'

const { db, connect } = await createTestDatabase()
const dayMs = 24 * 60 * 60 * 1000
const nowMs = testNowUnix * 1000

beforeEach(async () => {
  await ensurePartitions(db, nowMs)
  await db`truncate hub.events, hub.shards`
  await db`insert into hub.shards (shard) values (1), (2), (3)`
})

interface Row {
  shard: number
  id: number
  fid?: number | null
  bytes?: number
  day?: number
}

async function write(rows: readonly Row[]): Promise<void> {
  await db`
    insert into hub.events (day, shard, id, type, fid, event)
    select '2026-11-01'::date + day, shard, id, ${HubEventType.MERGE_MESSAGE}, fid, decode(repeat('00', bytes), 'hex')
    from unnest(
      ${rows.map((row) => row.day ?? 0)}::integer[],
      ${rows.map((row) => row.shard)}::smallint[],
      ${rows.map((row) => row.id)}::bigint[],
      ${rows.map((row) => row.fid ?? null)}::bigint[],
      ${rows.map((row) => row.bytes ?? 8)}::integer[]
    ) as written (day, shard, id, fid, bytes)
  `
}

function ranges(shards: readonly number[], from = 0, stop = AFTER_ALL_EVENTS): ShardRange[] {
  return shards.map((shard) => ({ shard, from, stop }))
}

async function names(requested: readonly ShardRange[], limit: number, reverse = false): Promise<string[]> {
  const page = await readEvents(db, requested, { limit, reverse })
  return page.events.map(nameOf)
}

function nameOf({ shard, id }: { shard: number; id: number }): string {
  return `${shard}:${id}`
}

describe('a page of the log', () => {
  test('contains events from `from` inclusive to `stop` exclusive', async () => {
    await write([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((id) => ({ shard: 1, id })))
    expect(await names(ranges([1], 2, 5), 100)).toEqual(['1:2', '1:3', '1:4'])
    expect(await names(ranges([1], 2, 8), 7, true)).toEqual(['1:7', '1:6', '1:5', '1:4', '1:3', '1:2'])
    expect(await names(ranges([2]), 3)).toEqual([])
  })

  test('is merged by id and shard, and its size applies to all shards together', async () => {
    await write([
      { shard: 1, id: 10 },
      { shard: 2, id: 10 },
      { shard: 2, id: 5 },
      { shard: 1, id: 20 },
      { shard: 3, id: 15, day: 1 },
    ])
    expect(await names(ranges([1, 2, 3]), 4)).toEqual(['2:5', '1:10', '2:10', '3:15'])
    expect(await names(ranges([1, 2, 3]), 2, true)).toEqual(['1:20', '3:15'])
  })

  test('returns the first event after it, or null at the end', async () => {
    await write([1, 2, 3].map((id) => ({ shard: 1, id })))
    const all = await readEvents(db, ranges([1]), { limit: 3, reverse: false })
    const some = await readEvents(db, ranges([1]), { limit: 2, reverse: false })
    expect([all.next, some.next]).toEqual([null, { shard: 1, id: 3 }])
  })

  test('ends early when its events are large, with at least one', async () => {
    await write([1, 2, 3, 4].map((id) => ({ shard: 1, id, bytes: 1000 })))
    const options = { limit: 10, reverse: false, maxBytes: 1500 }
    const first = await readEvents(db, ranges([1]), options)
    const second = await readEvents(db, first.remaining, options)
    expect([first.events.map(nameOf), second.events.map(nameOf)]).toEqual([
      ['1:1', '1:2'],
      ['1:3', '1:4'],
    ])
    expect([first.next?.id, second.next]).toEqual([3, null])
    const least = await readEvents(db, ranges([1]), { ...options, maxBytes: 1 })
    expect(least.events).toHaveLength(1)
  })

  test('leaves out filtered events and advances over them', async () => {
    await write([1, 2, 3, 4].map((id) => ({ shard: 1, id, fid: id % 2 })))
    await write([{ shard: 1, id: 5, fid: null }])
    const filter = { fids: [1], types: null }
    const page = await readEvents(db, ranges([1]), { limit: 10, reverse: false, filter })
    expect(page.events.map(nameOf)).toEqual(['1:1', '1:3'])
    expect(page.remaining).toEqual(ranges([1], 6))
    const other = { fids: null, types: [HubEventType.PRUNE_MESSAGE] }
    expect((await readEvents(db, ranges([1]), { limit: 10, reverse: false, filter: other })).events).toEqual(
      [],
    )
  })
})

test('pages in either direction contain every event of the range once', async () => {
  const event = fc.record({
    shard: fc.integer({ min: 1, max: 3 }),
    id: fc.integer({ min: 0, max: 60 }),
    day: fc.integer({ min: 0, max: 2 }),
  })
  const events = fc.uniqueArray(event, { selector: nameOf, maxLength: 60 })
  const shards = fc.constantFrom<number[][]>([1], [2], [1, 2, 3])
  const bound = fc.integer({ min: 0, max: 61 })
  const size = fc.integer({ min: 1, max: 20 })
  await fc.assert(
    fc.asyncProperty(
      events,
      shards,
      bound,
      bound,
      size,
      fc.boolean(),
      async (rows, requested, a, b, limit, reverse) => {
        await db`truncate hub.events`
        await write(rows)
        const [from, stop] = [Math.min(a, b), Math.max(a, b)]
        const expected = rows
          .filter(({ shard, id }) => requested.includes(shard) && id >= from && id < stop)
          .sort((left, right) => left.id - right.id || left.shard - right.shard)
          .map(nameOf)
        const shown: string[] = []
        let rest: readonly ShardRange[] = ranges(requested, from, stop)
        for (;;) {
          const page = await readEvents(db, rest, { limit, reverse })
          expect(page.events.length).toBeLessThanOrEqual(limit)
          shown.push(...page.events.map(nameOf))
          rest = page.remaining
          if (!page.next) break
        }
        expect(shown).toEqual(reverse ? expected.reverse() : expected)
      },
    ),
    { numRuns: 60 },
  )
})

describe('a dropped event', () => {
  async function drop(): Promise<void> {
    await ensurePartitions(db, nowMs - dayMs)
    await write([
      { shard: 1, id: 1, day: -1 },
      { shard: 1, id: 7, day: -1 },
      { shard: 1, id: 20 },
      { shard: 2, id: 3 },
    ])
    await dropExpiredPartitions(db, nowMs + dayMs, 1)
  }

  test('-> not_found.event_dropped with the oldest kept id', async () => {
    await drop()
    const dropped = { code: 'not_found.event_dropped', message: expect.stringContaining('oldest kept is 20') }
    await expect(names(ranges([1], 1), 10)).rejects.toMatchObject(dropped)
    await expect(names(ranges([1, 2], 7), 10)).rejects.toMatchObject(dropped)
    await expect(readEvent(db, 1, 7)).rejects.toMatchObject(dropped)
    await expect(readEvent(db, 1, 2)).rejects.toMatchObject(dropped)
  })

  test('-> does not name an event that is dropped as well: of a day that another process wrote late', async () => {
    await drop()
    // Events 5 and 30 of two processes whose clocks are on either side of midnight.
    await write([
      { shard: 1, id: 5 },
      { shard: 1, id: 30 },
    ])
    await expect(readEvent(db, 1, 2)).rejects.toThrow('below 8 have been dropped; the oldest kept is 20')
  })

  test('does not affect ranges that start at 0, after it, or in another shard', async () => {
    await drop()
    expect(await names(ranges([1, 2]), 10)).toEqual(['2:3', '1:20'])
    expect(await names(ranges([1], 8), 10)).toEqual(['1:20'])
    expect(await names(ranges([2], 1), 10)).toEqual(['2:3'])
  })
})

test('readEvent finds an event by shard and id', async () => {
  await write([{ shard: 2, id: 5 }])
  expect(await readEvent(db, 2, 5)).toMatchObject({ shard: 2, id: 5, type: HubEventType.MERGE_MESSAGE })
  expect(await readEvent(db, 1, 5)).toBeNull()
  expect(await readEvent(db, 9, 5)).toBeNull()
})

test('readLogEnds returns the last id, or the last dropped one, or -1', async () => {
  await write([1, 2].map((id) => ({ shard: 2, id })))
  await db`update hub.shards set first_retained_id = 8 where shard = 3`
  expect(await readLogEnds(db, [1, 2, 3])).toMatchObject([
    { shard: 1, lastId: -1 },
    { shard: 2, lastId: 2 },
    { shard: 3, lastId: 7 },
  ])
})

test('a page in the middle of a long log is read by index only', async () => {
  await db`
    insert into hub.events (day, shard, id, type, event)
    select '2026-11-01'::date + (n / 7000)::integer, 1 + n % 2, n, 1, '\\x00' from generate_series(0, 19999) n
  `
  await db.unsafe('vacuum analyze hub.events')
  // One session, whose statistics are flushed together.
  const session = connect({ poolSize: 1 })
  for (const shards of [[1], [1, 2]]) {
    for (const reverse of [false, true]) {
      const before = await blocksRead(session)
      await readEvents(session, ranges(shards, 9000, 19_000), { limit: 100, reverse })
      const blocks = (await blocksRead(session)) - before
      expect(blocks).toBeGreaterThan(0)
      expect(blocks).toBeLessThan(60)
    }
  }
})

/** Blocks of the log's tables and indexes that a session has read. */
async function blocksRead(session: Database): Promise<number> {
  await session`select pg_stat_force_next_flush()`
  const [row] = await session<{ blocks: number }[]>`
    select coalesce(sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit), 0)::bigint as blocks
    from pg_statio_user_tables
    where schemaname = 'hub' and relname like 'events%'
  `
  return row!.blocks
}
