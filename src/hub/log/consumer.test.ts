import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { TestUser, testNow, testNowUnix } from '../../../test/network.js'
import { type Log, silentLog } from '../../platform/log/log.js'
import { HubEventType } from '../../protocol/definitions.js'
import { readConsumerLag, startConsumer } from './consumer.js'
import type { Consumer, LogGap } from './consumer-batch.js'
import { dropExpiredPartitions, ensurePartitions } from './partitions.js'
import { createEventTail } from './tail.js'
import { appendEvents, buildBlocks } from './write.js'

const { db, connect } = await createTestDatabase({ poolSize: 8 })
const user = new TestUser(1)
const dayMs = 86_400_000
const startMs = testNowUnix * 1000
const workerName = 'plaza test worker'
/** Workers wait between attempts, also on a fast machine. */
const PATIENCE = { timeout: 300_000 }
const stops: (() => Promise<void>)[] = []
let casts = 0

beforeEach(async () => {
  await ensurePartitions(db, startMs)
  await db`truncate hub.events, hub.shards, hub.consumers`
  await db`insert into hub.shards (shard) values (1), (2)`
  await db`create table if not exists had (seq bigint generated always as identity, shard smallint, id bigint)`
  await db`truncate had`
})
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

/** Appends a block of casts, like a merge. */
async function append(shard: number, count: number, dayOffset = 0): Promise<void> {
  const pending = Array.from({ length: count }, () => {
    casts += 1
    const message = user.cast(`cast ${casts}`, testNow)
    return { fid: 1, body: { type: HubEventType.MERGE_MESSAGE, message, deletedMessages: [] } as const }
  })
  const day = new Date(startMs + dayOffset * dayMs).toISOString().slice(0, 10)
  await db.begin(async (transaction) => {
    const [row] = await transaction<{ height: number; block_hash: Buffer }[]>`
      select height, block_hash from hub.shards where shard = ${shard} for update
    `
    const { events, head } = buildBlocks(
      shard,
      { height: row!.height, blockHash: row!.block_hash },
      pending,
      testNow,
    )
    await appendEvents(transaction, shard, events, head, day)
  })
}

/** Saves the ids that it receives, in the consumer's transaction. */
const keepIds: Consumer = {
  name: 'keeper',
  from: 'oldest',
  types: [HubEventType.MERGE_MESSAGE],
  handle: async (transaction, events) => [
    transaction`
      insert into had (shard, id)
      select *
      from unnest(${events.map(({ shard }) => shard)}::smallint[], ${events.map(({ id }) => id)}::bigint[])
    `,
  ],
}

/** Starts workers with connections of their own, like a process. */
function start(
  consumer: Consumer,
  options: { batchSize?: number; log?: Log; onGap?: (consumer: string) => void } = {},
): void {
  const pool = connect({ poolSize: 3, applicationName: workerName })
  const tail = createEventTail(pool, { pollMs: 100 })
  const stop = startConsumer(consumer, { db: pool, shards: 2, tail, log: silentLog, ...options })
  stops.push(async () => {
    await stop()
    await tail.close()
  })
}

async function idsHad(shard: number): Promise<number[]> {
  const rows = await db<{ id: number }[]>`select id from had where shard = ${shard} order by seq`
  return rows.map(({ id }) => id)
}

async function idsLogged(shard: number): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select id from hub.events where shard = ${shard} and type = ${HubEventType.MERGE_MESSAGE} order by id
  `
  return rows.map(({ id }) => id)
}

async function expectAllHad(): Promise<void> {
  for (const shard of [1, 2]) {
    const logged = await idsLogged(shard)
    await vi.waitUntil(async () => (await idsHad(shard)).length >= logged.length, PATIENCE)
    expect(await idsHad(shard)).toEqual(logged)
  }
}

/** Terminates all connections of the workers. */
async function killConnections(): Promise<void> {
  await db`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = ${workerName}
  `
}

describe('a consumer', () => {
  test('receives every event of its types once and in order, with several workers and lost connections', async () => {
    start(keepIds, { batchSize: 7 })
    start(keepIds, { batchSize: 3 })
    for (let round = 0; round < 30; round += 1) {
      await append(1 + (round % 2), 1 + ((round * 7) % 12))
      if (round % 5 === 0) await killConnections()
    }
    await expectAllHad()
  })

  test('that fails receives events again, handles none twice and skips none', async () => {
    let calls = 0
    let failures = 0
    start(
      {
        ...keepIds,
        onFailure: () => {
          failures += 1
        },
        handle: async (transaction, events, signal) => {
          const statements = await keepIds.handle(transaction, events, signal)
          calls += 1
          if (calls % 3 === 1) throw new Error('not this time')
          return calls % 3 === 2 ? [...statements, transaction`select 1 / 0`] : statements
        },
      },
      { batchSize: 10 },
    )
    await append(1, 16)
    await append(2, 3)
    await expectAllHad()
    // Those of the handler and of its last statements are both told.
    expect(failures).toBeGreaterThanOrEqual(2)
  })

  test('stops before an event that always fails, and logs it', async () => {
    await append(1, 20)
    const logged = await idsLogged(1)
    const poisoned = logged[12]!
    const lines: object[] = []
    let isMended = false
    start(
      {
        ...keepIds,
        handle: async (transaction, events, signal) => {
          if (!isMended && events.some(({ shard, id }) => shard === 1 && id === poisoned)) {
            throw new Error('poison')
          }
          return await keepIds.handle(transaction, events, signal)
        },
      },
      { batchSize: 40, log: { ...silentLog, error: (fields) => lines.push(fields) } },
    )
    await append(2, 3)
    await vi.waitUntil(async () => (await idsHad(1)).length === 12, PATIENCE)
    expect(await idsHad(1)).toEqual(logged.slice(0, 12))
    await vi.waitUntil(() => lines.some((line) => 'limit' in line && line.limit === 1), PATIENCE)
    expect(lines[0]).toMatchObject({ consumer: 'keeper', shard: 1, failures: 1 })
    isMended = true
    await expectAllHad()
  })

  test('reaches the end of the log where the database has no time, memory or files for more than one event', async () => {
    const states = ['57014', '53200', '53400']
    let calls = 0
    const sizes: number[] = []
    start(
      {
        ...keepIds,
        handle: async (transaction, events, signal) => {
          sizes.push(events.length)
          if (events.length > 1) {
            const state = states[calls++ % states.length]
            await transaction.unsafe(`do $$ begin raise 'too many' using errcode = '${state}'; end $$`)
          }
          return await keepIds.handle(transaction, events, signal)
        },
      },
      { batchSize: 40 },
    )
    await append(1, 5)
    await expectAllHad()
    expect(calls).toBeGreaterThanOrEqual(states.length)
    // After an event that is alone, the next batch has more.
    expect(sizes.slice(sizes.indexOf(1) + 1)).toContain(2)
  })

  test('reports a gap and continues after it', async () => {
    await append(1, 4)
    await ensurePartitions(db, startMs + 5 * dayMs)
    await append(1, 3, 5)
    await dropExpiredPartitions(db, startMs + 5 * dayMs, 3)
    const gaps: LogGap[] = []
    const lines: object[] = []
    const counted: string[] = []
    start(
      {
        ...keepIds,
        onGap: async (_transaction, gap) => {
          gaps.push(gap)
        },
      },
      {
        log: { ...silentLog, error: (fields) => lines.push(fields) },
        onGap: (consumer) => counted.push(consumer),
      },
    )
    await expectAllHad()
    expect(gaps).toEqual([{ shard: 1, from: 1, to: expect.any(Number) }])
    expect(lines).toEqual([{ consumer: 'keeper', ...gaps[0] }])
    expect(counted).toEqual(['keeper'])
    expect(await idsHad(1)).toHaveLength(3)
  })

  test('that starts at the newest event receives no older one, and resumes at its cursor', async () => {
    await append(1, 4)
    const newest = { ...keepIds, from: 'newest' } as const
    start(newest)
    await vi.waitUntil(async () => (await readConsumerLag(db)).length === 2, PATIENCE)
    await append(1, 2)
    await vi.waitUntil(async () => (await idsHad(1)).length === 2, PATIENCE)
    await stops.pop()!()
    await append(1, 3)
    start(newest)
    await vi.waitUntil(async () => (await idsHad(1)).length === 5, PATIENCE)
    expect(await idsHad(1)).toEqual((await idsLogged(1)).slice(4))
  })

  test('whose cursor is lost goes on where it was', async () => {
    start({ ...keepIds, from: 'newest' })
    await vi.waitUntil(async () => (await readConsumerLag(db)).length === 2, PATIENCE)
    await append(1, 2)
    await vi.waitUntil(async () => (await idsHad(1)).length === 2, PATIENCE)
    // As a fail-over does that loses the first writes.
    await db`delete from hub.consumers`
    await append(1, 3)
    await vi.waitUntil(async () => (await idsHad(1)).length >= 5, PATIENCE)
    expect(await idsHad(1)).toEqual(await idsLogged(1))
  })

  test('whose cursor is lost with the end of the log goes on where that went back', async () => {
    await append(1, 1)
    const before = await db`select height, block_hash from hub.shards where shard = 1`
    start({ ...keepIds, from: 'newest' })
    await vi.waitUntil(async () => (await readConsumerLag(db)).length === 2, PATIENCE)
    await append(1, 1)
    await vi.waitUntil(async () => (await idsHad(1)).length === 1, PATIENCE)
    const kept = (await idsLogged(1))[0]!
    await db.begin(async (transaction) => {
      await transaction`delete from hub.events where shard = 1 and id > ${kept}`
      await transaction`
        update hub.shards set height = ${before[0]!.height}, block_hash = ${before[0]!.block_hash} where shard = 1`
      await transaction`delete from hub.consumers`
      await transaction`truncate had`
    })
    await append(1, 2)
    await append(1, 2)
    await expect.poll(() => idsHad(1)).toEqual((await idsLogged(1)).slice(1))
  })

  test('finishes its batch when it is stopped, then reads no more', async () => {
    let isUnderWay = false
    start({
      ...keepIds,
      handle: async (transaction, events, signal) => {
        isUnderWay = true
        await transaction`select pg_sleep(0.2)`
        return await keepIds.handle(transaction, events, signal)
      },
    })
    await append(1, 4)
    await vi.waitUntil(() => isUnderWay, PATIENCE)
    await stops.pop()!()
    expect(await idsHad(1)).toHaveLength(4)
    await append(1, 4)
    expect(await readConsumerLag(db)).toEqual([
      { name: 'keeper', shard: 1, blocks: 1, oldestBlockTime: testNow },
      { name: 'keeper', shard: 2, blocks: 0, oldestBlockTime: null },
    ])
    expect(await idsHad(1)).toHaveLength(4)
  })

  test('that is stuck: its lag has the time of the block at its cursor, also within the block', async () => {
    await append(1, 4)
    await append(1, 4)
    const [first] = await idsLogged(1)
    await db`insert into hub.consumers (name, shard, next_id) values ('stuck', 1, ${first! + 1})`
    const lag = { name: 'stuck', shard: 1, blocks: 2, oldestBlockTime: testNow }
    expect(await readConsumerLag(db)).toEqual([lag])
    await db`truncate hub.events`
    expect(await readConsumerLag(db)).toMatchObject([{ oldestBlockTime: null }])
  })
})
