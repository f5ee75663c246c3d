import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { testNowUnix } from '../../../test/network.js'
import { silentLog } from '../../platform/log/log.js'
import { eventId } from './hub-event.js'
import { ensurePartitions } from './partitions.js'
import { createEventTail, type EventTail } from './tail.js'
import { eventChannel } from './write.js'

const { db } = await createTestDatabase({ applicationName: 'tail test' })
const never = new AbortController().signal
const tails: EventTail[] = []

beforeEach(async () => {
  await ensurePartitions(db, testNowUnix * 1000)
  await db`truncate hub.events, hub.shards`
  await db`insert into hub.shards (shard) values (1), (2)`
})
afterEach(() => Promise.all(tails.splice(0).map((tail) => tail.close())))

/** Long enough for a busy machine, and less than a minute. */
const LONG_MS = 30_000

/** A poll interval of a minute never elapses in a test. */
function open(pollMs: number): EventTail {
  const tail = createEventTail(db, { pollMs })
  tails.push(tail)
  return tail
}

async function append(shard: number, id: number, options: { notify: boolean }): Promise<void> {
  await db.begin(async (transaction) => {
    await transaction`
      insert into hub.events (day, shard, id, type, event) values ('2026-11-01', ${shard}, ${id}, 1, '\\x00')
    `
    if (options.notify) await transaction`select pg_notify(${eventChannel}, ${`${shard}:${id}`})`
  })
}

/** Whether the promise settles within the time. */
async function isDone(promise: Promise<unknown>, withinMs: number): Promise<boolean> {
  return await Promise.race([promise.then(() => true), sleep(withinMs).then(() => false)])
}

/** Listening connections. One that is not idle is still subscribing and would miss a notification. */
async function listeners(): Promise<number[]> {
  const rows = await db<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and query ilike 'listen%' and state = 'idle'
  `
  return rows.map((row) => row.pid)
}

test('a notification wakes the readers of its shard only', async () => {
  const tail = open(60_000)
  await expect.poll(listeners).not.toHaveLength(0)
  const first = tail.wait([{ shard: 1, lastId: 4 }], never)
  const second = tail.wait([{ shard: 2, lastId: 4 }], never)
  const both = tail.wait(
    [
      { shard: 1, lastId: 4 },
      { shard: 2, lastId: 4 },
    ],
    never,
  )
  await append(1, 5, { notify: true })
  expect(await isDone(Promise.all([first, both]), LONG_MS)).toBe(true)
  expect(await isDone(second, 50)).toBe(false)
})

test('a reader that is behind an earlier notification does not wait', async () => {
  const tail = open(60_000)
  await expect.poll(listeners).not.toHaveLength(0)
  await append(1, 5, { notify: true })
  await tail.wait([{ shard: 1, lastId: 4 }], never)
  expect(await isDone(tail.wait([{ shard: 1, lastId: 4 }], never), 50)).toBe(true)
  expect(await isDone(tail.wait([{ shard: 1, lastId: 5 }], never), 50)).toBe(false)
})

test('a poll finds events without a notification', async () => {
  const tail = open(20)
  const waiting = tail.wait([{ shard: 2, lastId: -1 }], never)
  await append(2, 0, { notify: false })
  expect(await isDone(waiting, LONG_MS)).toBe(true)
})

test('a lost connection is reopened', async () => {
  const tail = open(60_000)
  await expect.poll(listeners).not.toHaveLength(0)
  const [lost] = await listeners()
  await db`select pg_terminate_backend(${lost!}::integer)`
  await expect.poll(async () => (await listeners()).some((pid) => pid !== lost)).toBe(true)
  const waiting = tail.wait([{ shard: 1, lastId: 4 }], never)
  await append(1, 5, { notify: true })
  expect(await isDone(waiting, LONG_MS)).toBe(true)
})

test('a tail that could not listen at first listens later', async () => {
  let attempts = 0
  const listener = new Proxy(db, {
    get: (target, name) =>
      name === 'listen' && attempts++ < 1
        ? () => Promise.reject(new Error('not now'))
        : Reflect.get(target, name),
  })
  tails.push(createEventTail(db, { pollMs: 60_000, listener }))
  await expect.poll(listeners, { timeout: LONG_MS }).not.toHaveLength(0)
  const tail = tails.at(-1)!
  const waiting = tail.wait([{ shard: 1, lastId: 4 }], never)
  await append(1, 5, { notify: true })
  expect(await isDone(waiting, LONG_MS)).toBe(true)
})

test('an aborted reader, and all readers of a closed tail, stop waiting', async () => {
  const tail = open(60_000)
  const controller = new AbortController()
  const leaving = tail.wait([{ shard: 1, lastId: 4 }], controller.signal)
  const staying = tail.wait([{ shard: 1, lastId: 4 }], never)
  controller.abort()
  expect(await isDone(leaving, 50)).toBe(true)
  expect(await isDone(staying, 50)).toBe(false)
  await tail.close()
  expect(await isDone(staying, 50)).toBe(true)
  expect(await isDone(tail.wait([{ shard: 1, lastId: 4 }], never), 50)).toBe(true)
})

test('a log that went back wakes the readers that are ahead of it, and no others', async () => {
  await db`update hub.shards set height = 5 where shard = 1`
  await append(1, eventId(5, 1), { notify: false })
  const tail = open(20)
  const atEnd = tail.wait([{ shard: 1, lastId: eventId(5, 1) }], never)
  const other = tail.wait([{ shard: 2, lastId: -1 }], never)
  await db`delete from hub.events`
  await db`update hub.shards set height = 4 where shard = 1`
  expect(await isDone(atEnd, LONG_MS)).toBe(true)
  expect(await isDone(other, 100)).toBe(false)
})

test('a log that went back -> readers of the new branch wait at its end', async () => {
  const tail = open(20)
  await db`update hub.shards set height = 5 where shard = 1`
  await append(1, eventId(5, 1), { notify: false })
  expect(await isDone(tail.wait([{ shard: 1, lastId: eventId(5, 0) }], never), LONG_MS)).toBe(true)
  await db`delete from hub.events`
  await db`update hub.shards set height = 4 where shard = 1`
  await append(1, eventId(4, 1), { notify: false })
  const waiting = async () => !(await isDone(tail.wait([{ shard: 1, lastId: eventId(4, 1) }], never), 50))
  await expect.poll(waiting, { timeout: LONG_MS }).toBe(true)
})

test('another branch of the same length wakes the readers at its end', async () => {
  await db`update hub.shards set height = 5, block_hash = '\\x01' where shard = 1`
  await append(1, eventId(5, 1), { notify: false })
  const tail = open(20)
  expect(await isDone(tail.wait([{ shard: 1, lastId: eventId(5, 0) }], never), LONG_MS)).toBe(true)
  const atEnd = tail.wait([{ shard: 1, lastId: eventId(5, 1) }], never)
  await db`update hub.shards set block_hash = '\\x02' where shard = 1`
  expect(await isDone(atEnd, LONG_MS)).toBe(true)
})

test('a reset that a client names is a warning, one of a reader of the server an error', () => {
  const levels: string[] = []
  const log = { ...silentLog, warn: () => levels.push('warn'), error: () => levels.push('error') }
  const tail = createEventTail(db, { pollMs: 60_000, log })
  tails.push(tail)
  const reset = { shard: 1, lastId: 4_294_967_295, nextId: 0, history: [], isBehind: true }
  tail.reportReset('event streams', reset, 'client')
  tail.reportReset('webhooks', reset)
  expect(levels).toEqual(['warn', 'error'])
})
