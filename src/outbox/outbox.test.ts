import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { type Log, silentLog } from '../platform/log/log.js'
import { nextTurn } from '../platform/process/turns.js'
import { startOutbox } from './outbox.js'
import { notifyChangedLanes, notifyLanes } from './outbox-queue.js'
import {
  countStates,
  createQueueTables,
  createTestQueue,
  insertItems,
  type TestItem,
  type TestQueue,
  type TestResult,
  testWorkers,
} from './testing/test-queue.js'

const { db, connect } = await createTestDatabase({ migrated: false })
await createQueueTables(db)
beforeEach(async () => void (await db`truncate work.items, work.workers restart identity`))

/** Starts a worker, which ends with the test. */
async function startWorker(queue: TestQueue, concurrency = 2, log: Log = silentLog) {
  const lockDb = connect({ poolSize: 1 })
  const parts = { queue, workers: testWorkers, concurrency, db, lockDb, listen: db.listen }
  const outbox = await startOutbox({ ...parts, clock: Date.now, log })
  let stopping: Promise<void> | null = null
  const stop = () => (stopping ??= outbox.stop())
  onTestFinished(stop)
  return { stop, sweep: outbox.sweep }
}

const success = ({ id, lane }: TestItem): TestResult => ({ id, lane, retryAfterMs: null })

/** A target that answers at once and remembers what it was sent. */
function createTarget(
  answer: (item: TestItem) => Promise<TestResult | null> = async (item) => success(item),
) {
  const sent: TestItem[] = []
  return {
    sent,
    send: (item: TestItem) => {
      sent.push(item)
      return answer(item)
    },
  }
}

const noSweep = { findDueLanes: async () => [] }

it('two workers send every item once, each no more of a lane at once than its concurrency', async () => {
  const sending = new Map<string, number>()
  let most = 0
  const target = createTarget(async (item) => {
    const count = (sending.get(item.lane) ?? 0) + 1
    sending.set(item.lane, count)
    most = Math.max(most, count)
    await sleep(1)
    sending.set(item.lane, sending.get(item.lane)! - 1)
    return success(item)
  })
  for (let lane = 0; lane < 25; lane += 1) await insertItems(db, `lane ${lane}`, 20)
  await Promise.all([1, 2].map(() => startWorker(createTestQueue(db, target.send), 3)))

  await expect.poll(() => countStates(db)).toEqual({ ended: 500 })
  expect(new Set(target.sent.map(({ id }) => id)).size).toBe(500)
  expect(target.sent).toHaveLength(500)
  expect(most).toBeLessThanOrEqual(2 * 3)
})

it('a lane that does not answer delays no other', async () => {
  let release = () => {}
  const silent = new Promise<void>((resolve) => {
    release = resolve
  })
  const target = createTarget(async (item) => {
    if (item.lane === 'silent') await silent
    return success(item)
  })
  await insertItems(db, 'silent', 20)
  await insertItems(db, 'other', 50)
  await startWorker(createTestQueue(db, target.send))

  await expect.poll(() => target.sent.filter(({ lane }) => lane === 'other').length).toBe(50)
  expect(target.sent.filter(({ lane }) => lane === 'silent')).toHaveLength(2)
  release()
  await expect.poll(() => countStates(db)).toEqual({ ended: 70 })
})

it('a notification wakes the lanes that it names, however many, and of a lane with a long name all', async () => {
  const target = createTarget()
  await startWorker({ ...createTestQueue(db, target.send), ...noSweep })
  const lanes = Array.from({ length: 700 }, () => randomUUID())
  await db.begin(async (transaction) => {
    for (const lane of lanes) await transaction`insert into work.items (lane) values (${lane})`
    await notifyLanes(transaction, 'test_items', lanes)
    await sleep(50)
    expect(target.sent).toEqual([])
  })
  await expect.poll(() => countStates(db)).toEqual({ ended: 700 })

  const payloads: string[] = []
  const listener = await db.listen('test_items', (payload) => void payloads.push(payload))
  await notifyLanes(db, 'test_items', ['short', 'x'.repeat(8_000)])
  await expect.poll(() => payloads).toEqual([''])
  await notifyLanes(db, 'test_items', ['short', 'another'])
  await notifyLanes(db, 'test_items')
  const half = 'x'.repeat(3_950)
  await notifyLanes(db, 'test_items', [half, half.slice(1), 'y'])
  await expect.poll(() => payloads.slice(1)).toEqual(['short,another', '', `${half},${half.slice(1)}`, 'y'])
  await listener.unlisten()
})

it('a sweep finds items that no notification tells of, also in more lanes than a page', async () => {
  const target = createTarget()
  await startWorker(createTestQueue(db, target.send))
  await db`insert into work.items (lane) select 'lane ' || n from generate_series(1, 2500) as n`

  await expect.poll(() => countStates(db)).toEqual({ ended: 2_500 })
  expect(target.sent).toHaveLength(2_500)
})

it('an item that fails is sent again when it is due, without a sweep', async () => {
  const times: number[] = []
  const target = createTarget(async (item) => {
    times.push(Date.now())
    return item.attempts < 3 ? { ...success(item), retryAfterMs: 150 } : success(item)
  })
  await startWorker({ ...createTestQueue(db, target.send), ...noSweep })
  await insertItems(db, 'flaky', 1)
  await notifyLanes(db, 'test_items', ['flaky'])

  await expect.poll(() => countStates(db)).toEqual({ ended: 1 })
  expect(target.sent.map(({ attempts }) => attempts)).toEqual([1, 2, 3])
  expect(times[2]! - times[0]!).toBeGreaterThanOrEqual(290)
})

it('a lane at its rate limit is claimed again when the limit allows', async () => {
  const target = createTarget()
  const queue = createTestQueue(db, target.send)
  let claims = 0
  const claimTimes: number[] = []
  await startWorker({
    ...queue,
    ...noSweep,
    async claim(worker, requests) {
      claims += 1
      claimTimes.push(Date.now())
      if (claims > 1) return await queue.claim(worker, requests)
      return [{ lane: 'limited', items: [], hasMore: true, pausedForMs: 200 }]
    },
  })
  await insertItems(db, 'limited', 1)
  await notifyLanes(db, 'test_items', ['limited'])

  await expect.poll(() => countStates(db)).toEqual({ ended: 1 })
  expect(claims).toBe(2)
  expect(claimTimes[1]! - claimTimes[0]!).toBeGreaterThanOrEqual(190)
})

it('others send what a worker had in hand whose connection is gone', async () => {
  const hung = createTarget(() => new Promise(() => {}))
  const lockDb = connect({ poolSize: 1 })
  const dead = randomUUID()
  await testWorkers.heartbeat(db, lockDb, dead)
  const queue = createTestQueue(db, hung.send)
  await insertItems(db, 'left', 3)
  await queue.claim(dead, [{ lane: 'left', capacity: 3 }])
  expect(await countStates(db)).toEqual({ sending: 3 })
  const target = createTarget()
  await startWorker(createTestQueue(db, target.send))
  const [row] = await lockDb<{ pid: number }[]>`select pg_backend_pid() as pid`
  await db`select pg_terminate_backend(${row!.pid}, 10000)`

  await expect.poll(() => countStates(db)).toEqual({ ended: 3 })
  expect(target.sent.map(({ attempts }) => attempts)).toEqual([2, 2, 2])
})

it('a worker that stops settles what it is sending, and leaves the rest', async () => {
  const answers: (() => void)[] = []
  const target = createTarget(async (item) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    return success(item)
  })
  await insertItems(db, 'stopping', 10)
  const { stop } = await startWorker(createTestQueue(db, target.send))
  await expect.poll(() => answers.length).toBe(2)
  const stopped = stop()
  for (const answer of answers) answer()
  await stopped

  expect(target.sent).toHaveLength(2)
  expect(await countStates(db)).toEqual({ ended: 2, waiting: 8 })
  expect(await db`select from work.workers`).toHaveLength(0)
})

it('a worker that stops keeps its lease until what it is sending has ended', async () => {
  let answer = () => {}
  const target = createTarget(async (item) => {
    await new Promise<void>((resolve) => {
      answer = resolve
    })
    return success(item)
  })
  await insertItems(db, 'slow', 1)
  const { stop } = await startWorker(createTestQueue(db, target.send))
  await expect.poll(() => target.sent.length).toBe(1)
  const stopped = stop()
  await db`update work.workers set alive_until = now() + interval '1 second'`
  const isRenewed = async () =>
    (await db`select from work.workers where alive_until > now() + interval '5 seconds'`).length
  await expect.poll(isRenewed).toBe(1)
  answer()
  await stopped
  expect(await countStates(db)).toEqual({ ended: 1 })
})

it('an item that its process gives up is released when the process stops', async () => {
  const target = createTarget(async () => null)
  const [id] = await insertItems(db, 'given up', 1)
  const { stop } = await startWorker(createTestQueue(db, target.send))
  await expect.poll(() => target.sent.length).toBe(1)
  await stop()
  expect(await db`select state from work.items where id = ${id!}`).toEqual([{ state: 'waiting' }])
})

it('an item that cannot be prepared fails alone', async () => {
  const target = createTarget()
  const ids = await insertItems(db, 'prepared', 4)
  const broken = ids[1]!
  const failed: number[] = []
  await startWorker({
    ...createTestQueue(db, target.send),
    preparation: {
      async prepare(claimed) {
        if (claimed.some(({ id }) => id === broken)) throw new Error('this item cannot be prepared')
        return claimed
      },
      fail: (item) => {
        failed.push(item.id)
        return success(item)
      },
    },
  })

  await expect.poll(() => countStates(db)).toEqual({ ended: 4 })
  expect(failed).toEqual([broken])
  expect(target.sent.map(({ id }) => id)).toEqual(ids.filter((id) => id !== broken))
})

it('items that wait for a database to be prepared: the log says so once', async () => {
  const target = createTarget()
  await insertItems(db, 'prepared', 2)
  const lines: string[] = []
  const log = { ...silentLog, error: (_fields: object, text: string) => lines.push(text) }
  let attempts = 0
  const preparation: TestQueue['preparation'] = {
    async prepare(claimed) {
      attempts += 1
      if (attempts <= 2) throw Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' })
      return claimed
    },
    fail: success,
  }
  const queue = createTestQueue(db, target.send)
  await startWorker({ ...queue, preparation }, 2, log)
  await expect.poll(() => countStates(db)).toEqual({ ended: 2 })
  expect(lines).toEqual([`items of ${queue.name} could not be prepared`])
})

it('results wait for a database that is away, and nothing is sent a second time', async () => {
  const target = createTarget()
  const queue = createTestQueue(db, target.send)
  let failures = 0
  const fail = () => {
    failures += 1
    return Promise.reject(Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' }))
  }
  await insertItems(db, 'kept', 3)
  await startWorker({
    ...queue,
    claim: (...request) => (failures === 0 ? fail() : queue.claim(...request)),
    settle: (...results) => (failures < 3 ? fail() : queue.settle(...results)),
  })

  await expect.poll(() => countStates(db)).toEqual({ ended: 3 })
  expect(target.sent).toHaveLength(3)
})

it('a claim whose reply is lost is claimed again, before later items of its lane, and what is in hand stays', async () => {
  const target = createTarget()
  const queue = createTestQueue(db, target.send)
  await insertItems(db, 'in order', 12)
  let claims = 0
  await startWorker(
    {
      ...queue,
      async claim(...request) {
        claims += 1
        const claimed = await queue.claim(...request)
        if (claims % 2 === 0) throw Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' })
        return claimed
      },
    },
    1,
  )

  await expect.poll(() => countStates(db)).toEqual({ ended: 12 })
  expect(target.sent.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
})

it('a claim that the database carries out after its connection was lost is claimed again', async () => {
  const target = createTarget()
  const queue = createTestQueue(db, target.send)
  await insertItems(db, 'late', 3)
  let late: (() => Promise<unknown>) | null = null
  let isLost = false
  await startWorker({
    ...queue,
    async claim(...request) {
      if (isLost) return await queue.claim(...request)
      isLost = true
      late = () => queue.claim(...request)
      throw Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' })
    },
    async releaseLost(...inHand) {
      await queue.releaseLost(...inHand)
      // Only now: what was looked for has not been there.
      const claim = late
      late = null
      await claim?.()
    },
  })

  await expect.poll(() => countStates(db)).toEqual({ ended: 3 })
  expect(target.sent.map(({ id }) => id)).toEqual([1, 2, 3])
})

it('items whose end the database has forgotten are sent again', async () => {
  const target = createTarget()
  const queue = createTestQueue(db, target.send)
  await insertItems(db, 'forgotten', 2)
  let isAway = false
  await startWorker({
    ...queue,
    async findDueLanes(...page) {
      if (!isAway) return await queue.findDueLanes(...page)
      isAway = false
      // A server that failed over without its last transactions has the claim and not the end.
      await db`update work.items set state = 'sending', worker = (select id from work.workers)`
      throw Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' })
    },
  })
  await expect.poll(() => countStates(db)).toEqual({ ended: 2 })
  isAway = true
  await expect.poll(() => target.sent.length).toBe(4)
  await expect.poll(() => countStates(db)).toEqual({ ended: 2 })
})

/** A queue of which two items of a lane are being sent, and two wait in the process. */
async function startHolding(lane: string, parts: Partial<TestQueue> = {}, lastHeld = 2) {
  const answers: (() => void)[] = []
  const target = createTarget(async (item) => {
    if (item.id <= lastHeld) await new Promise<void>((resolve) => answers.push(resolve))
    return success(item)
  })
  await insertItems(db, lane, 4)
  await startWorker({ ...createTestQueue(db, target.send), ...parts })
  await notifyLanes(db, 'test_items', [lane])
  await expect.poll(() => answers.length).toBe(2)
  await expect.poll(() => countStates(db)).toEqual({ sending: 4 })
  return { sent: target.sent, answers }
}

it.each([
  ['by its name', ['changed']],
  ['with all others', []],
])('a lane that changes, %s -> what has not started is claimed anew', async (_case, lanes) => {
  const { sent, answers } = await startHolding('changed', noSweep)
  await db`update work.items set lane = 'another' where id > 2`
  await notifyChangedLanes(db, 'test_items', ['unknown'])
  await notifyChangedLanes(db, 'test_items', lanes)
  await expect.poll(() => countStates(db)).toEqual({ sending: 2, waiting: 2 })
  for (const answer of answers) answer()
  await expect.poll(() => countStates(db)).toEqual({ ended: 2, waiting: 2 })
  await notifyLanes(db, 'test_items', ['another'])
  await expect.poll(() => countStates(db)).toEqual({ ended: 4 })
  expect(sent.map(({ id, lane, attempts }) => [id, lane, attempts])).toEqual([
    [1, 'changed', 1],
    [2, 'changed', 1],
    [3, 'another', 1],
    [4, 'another', 1],
  ])
})

it('a result that stops its lane -> nothing more of it starts before the result is settled', async () => {
  const settled: number[] = []
  const queue = createTestQueue(db, async () => null)
  const { sent, answers } = await startHolding('stopped', {
    stopsLane: ({ id }) => id === 1,
    async settle(worker, results, lanes) {
      const wakeUps = await queue.settle(worker, results, lanes)
      if (results.some(({ id }) => id === 1)) await db`update work.items set due_at = 'infinity' where id > 2`
      settled.push(...results.map(({ id }) => id))
      return wakeUps
    },
  })
  answers[0]!()
  await expect.poll(() => countStates(db)).toEqual({ ended: 1, sending: 1, waiting: 2 })
  answers[1]!()
  await expect.poll(() => settled).toEqual([1, 2])
  expect(sent.map(({ id }) => id)).toEqual([1, 2])
})

it('a result that stops its lane while others are settled -> nothing more of it starts either', async () => {
  const settled: number[] = []
  const queue = createTestQueue(db, async () => null)
  let [begin, goOn] = [() => {}, () => {}]
  const hasBegun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const mayGoOn = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const parts: Partial<TestQueue> = {
    stopsLane: ({ id }) => id === 1,
    async settle(worker, results, lanes) {
      if (results.some(({ id }) => id === 2)) {
        begin()
        await mayGoOn
      }
      const wakeUps = await queue.settle(worker, results, lanes)
      if (results.some(({ id }) => id === 1)) await db`update work.items set due_at = 'infinity' where id > 3`
      settled.push(...results.map(({ id }) => id))
      return wakeUps
    },
  }
  const { sent, answers } = await startHolding('stopped late', parts, 3)
  answers[1]!()
  await hasBegun
  answers[0]!()
  await nextTurn()
  goOn()
  await expect.poll(() => settled).toEqual([2, 1])
  await expect.poll(() => countStates(db)).toEqual({ ended: 2, sending: 1, waiting: 1 })
  answers[2]!()
  await expect.poll(() => settled).toEqual([2, 1, 3])
  expect(sent.map(({ id }) => id)).toEqual([1, 2, 3])
})

it('a lane that changes while items are claimed or prepared -> they are claimed and prepared anew', async () => {
  const target = createTarget()
  const queue = createTestQueue(db, target.send)
  await insertItems(db, 'prepared', 2)
  const prepared: number[] = []
  let changes = 0
  /** Changes the lane, and waits until the worker knows it. */
  const change = async () => {
    changes += 1
    let hasHeard = () => {}
    const heard = new Promise<void>((resolve) => {
      hasHeard = resolve
    })
    const listener = await db.listen('test_items_changed', hasHeard)
    await notifyChangedLanes(db, 'test_items', ['prepared'])
    await heard
    await listener.unlisten()
  }
  await startWorker({
    ...queue,
    async claim(...request) {
      const claims = await queue.claim(...request)
      if (changes === 0 && claims.some(({ items }) => items.length > 0)) await change()
      return claims
    },
    preparation: {
      async prepare(claimed) {
        prepared.push(claimed.length)
        if (prepared.length === 2) await change()
        return claimed
      },
      fail: success,
    },
  })
  await expect.poll(() => countStates(db)).toEqual({ ended: 2 })
  expect(prepared).toEqual([2, 2, 2])
  expect(target.sent.map(({ id, attempts }) => [id, attempts])).toEqual([
    [1, 1],
    [2, 1],
  ])
})
