import type { Database } from '../../platform/db/connection.js'
import type { OutboxQueue } from '../outbox-queue.js'
import { WorkerRegistry } from '../worker-registry.js'

/** An item of the queue. */
export interface TestItem {
  readonly id: number
  readonly lane: string
  readonly attempts: number
}

/** The end of an attempt. */
export interface TestResult {
  readonly id: number
  readonly lane: string
  /** Null for a success. */
  readonly retryAfterMs: number | null
}

/** The queue of a test. Its parts may be replaced. */
export type TestQueue = OutboxQueue<TestItem, TestItem, TestResult>

/** Makes the tables of a queue whose items are numbers. */
export async function createQueueTables(db: Database): Promise<void> {
  await db`create schema work`
  await db`create table work.workers (id uuid primary key, alive_until timestamptz not null)`
  await db`
    create table work.items (
      id integer primary key generated always as identity,
      lane text not null,
      state text not null default 'waiting',
      worker uuid,
      attempts integer not null default 0,
      due_at timestamptz not null default now()
    )`
}

/** The workers of the queue. */
export const testWorkers = new WorkerRegistry('work.workers', async (db, workers) => {
  await db`
    update work.items set state = 'waiting', worker = null
    where state = 'sending' and worker = any (${db.types.texts(workers)}::text[]::uuid[])`
})

/** Inserts so many items into a lane and returns their ids. */
export async function insertItems(db: Database, lane: string, count: number): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    insert into work.items (lane) select ${lane} from generate_series(1, ${count}::integer) returning id`
  return rows.map(({ id }) => id)
}

/** Counts items by their state. */
export async function countStates(db: Database): Promise<Record<string, number>> {
  const rows = await db<{ state: string; items: number }[]>`
    select state, count(*)::integer as items from work.items group by state`
  return Object.fromEntries(rows.map(({ state, items }) => [state, items]))
}

/** Makes the queue. A success ends an item, a failure is due again after its delay. */
export function createTestQueue(
  db: Database,
  send: (item: TestItem) => Promise<TestResult | null>,
): TestQueue {
  return {
    name: 'tests',
    channel: 'test_items',
    lanesPerClaim: 10,
    countsUnsettled: false,
    idOf: ({ id }) => String(id),
    async findDueLanes(_worker, after, limit) {
      const rows = await db<{ lane: string }[]>`
        select distinct lane from work.items
        where state = 'waiting' and due_at <= now() and lane > ${after} order by lane limit ${limit}`
      return rows.map(({ lane }) => lane)
    },
    async claim(worker, requests) {
      return await Promise.all(
        requests.map(async ({ lane, capacity }) => {
          const items = await db<TestItem[]>`
            update work.items set state = 'sending', worker = ${worker}, attempts = attempts + 1
            where id in (
              select id from work.items
              where lane = ${lane} and state = 'waiting' and due_at <= now()
              order by id limit ${capacity} for update skip locked
            )
            returning id, lane, attempts`
          const inOrder = items.toSorted((a, b) => a.id - b.id)
          return { lane, items: inOrder, hasMore: items.length >= capacity, pausedForMs: null }
        }),
      )
    },
    async releaseLost(worker, inHandIds) {
      await db`
        update work.items set state = 'waiting', worker = null
        where state = 'sending' and worker = ${worker} and id::text <> all (${db.types.texts([...inHandIds])}::text[])`
    },
    async release(worker, items) {
      await db`
        update work.items set state = 'waiting', worker = null, attempts = attempts - 1
        where state = 'sending' and worker = ${worker} and id = any (${items.map(({ id }) => id)}::integer[])`
    },
    send,
    async settle(worker, results) {
      await db`
        update work.items i
        set
          state = case when came.delay is null then 'ended' else 'waiting' end, worker = null,
          due_at = now() + coalesce(came.delay, 0) * interval '1 millisecond'
        from unnest(
          ${results.map(({ id }) => id)}::integer[], ${results.map(({ retryAfterMs }) => retryAfterMs)}::integer[]
        ) as came (id, delay)
        where i.id = came.id and i.worker = ${worker} and i.state = 'sending'`
      const nowMs = Date.now()
      return results.flatMap(({ lane, retryAfterMs }) =>
        retryAfterMs === null ? [] : [{ lane, atMs: nowMs + retryAfterMs }],
      )
    },
  }
}
