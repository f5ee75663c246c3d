import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../platform/log/log.js'
import { Dispatcher, type DispatcherOptions } from './dispatcher.js'
import type { LaneClaim, LaneRequest, OutboxQueue } from './outbox-queue.js'

interface Item {
  readonly id: number
  readonly lane: string
}
type Queue = OutboxQueue<Item, Item, Item>

/** A queue in memory: items wait in their lanes until they are settled. */
function createQueue(parts: Partial<Queue> = {}) {
  const waiting: Item[] = []
  const settled: number[] = []
  const finished: string[] = []
  const claims: LaneRequest[][] = []
  const queue: Queue = {
    name: 'tests',
    channel: 'tests',
    lanesPerClaim: 10,
    countsUnsettled: false,
    idOf: ({ id }) => String(id),
    releaseLost: async () => {},
    release: async (_worker, items) => void waiting.unshift(...items),
    findDueLanes: async () => [...new Set(waiting.map(({ lane }) => lane))],
    async claim(_worker, requests) {
      claims.push([...requests])
      return requests.map(({ lane, capacity }): LaneClaim<Item> => {
        const due = waiting.filter((item) => item.lane === lane)
        const items = due.slice(0, capacity)
        for (const item of items) waiting.splice(waiting.indexOf(item), 1)
        return { lane, items, hasMore: due.length > items.length, pausedForMs: null }
      })
    },
    send: async (item) => item,
    async settle(_worker, results, lanes) {
      for (const { id } of results) settled.push(id)
      finished.push(...lanes)
      return []
    },
    ...parts,
  }
  const add = (lane: string, count: number) => {
    for (let index = 0; index < count; index += 1) waiting.push({ id: waiting.length + settled.length, lane })
  }
  return { queue, waiting, settled, finished, claims, add }
}

function startDispatcher(queue: Queue, options: Partial<DispatcherOptions<Item, Item, Item>> = {}) {
  const dispatcher = new Dispatcher({
    queue,
    worker: 'a worker',
    concurrency: 2,
    clock: Date.now,
    log: silentLog,
    ...options,
  })
  onTestFinished(() => dispatcher.stop())
  return dispatcher
}

/** A promise, and its end. */
function createGate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

test('a sweep reads page after page, also of more lanes than are remembered at once', async () => {
  const lanes = Array.from({ length: 12_500 }, (_, index) => `lane ${String(index).padStart(5, '0')}`)
  const pages: string[] = []
  const { queue } = createQueue({
    lanesPerClaim: 1_000,
    async findDueLanes(_worker, after, limit) {
      pages.push(after)
      return lanes.filter((lane) => lane > after).slice(0, limit)
    },
    // Other workers were faster.
    claim: async () => [],
  })
  startDispatcher(queue).sweep()
  await expect.poll(() => pages.length).toBe(13)
  expect(pages).toEqual(['', ...Array.from({ length: 12 }, (_, page) => lanes[1_000 * page + 999])])
})

test('lanes that are paused, however many, keep no sweep from finding others', async () => {
  const paused = Array.from({ length: 10_500 }, (_, index) => `lane ${String(index).padStart(5, '0')}`)
  const claimed = new Set<string>()
  const { queue, settled, add } = createQueue({ lanesPerClaim: 1_000 })
  const { claim } = queue
  const dispatcher = startDispatcher({
    ...queue,
    async claim(worker, requests) {
      for (const { lane } of requests) claimed.add(lane)
      const claims = await claim(worker, requests)
      return claims.map((each) => (each.lane === 'other' ? each : { ...each, pausedForMs: 3_600_000 }))
    },
  })
  dispatcher.wake(paused)
  await expect.poll(() => claimed.size).toBe(paused.length)
  add('other', 1)
  dispatcher.sweep()
  await expect.poll(() => settled).toEqual([0])
})

test('a sweep that fails is done again', async () => {
  let failures = 0
  const { queue, settled, add } = createQueue()
  add('due', 3)
  const { findDueLanes } = queue
  const failing: Queue = {
    ...queue,
    findDueLanes: (...request) => {
      failures += 1
      return failures === 1 ? Promise.reject(new Error('away')) : findDueLanes(...request)
    },
  }
  startDispatcher(failing).sweep()
  await expect.poll(() => settled.length).toBe(3)
})

test('a sweep that is asked for during another one is done afterwards', async () => {
  const gate = createGate()
  let sweeps = 0
  const { queue, settled, add } = createQueue()
  const slow: Queue = {
    ...queue,
    async findDueLanes(...request) {
      sweeps += 1
      const found = await queue.findDueLanes(...request)
      if (sweeps === 1) await gate.opened
      return found
    },
  }
  const dispatcher = startDispatcher(slow)
  dispatcher.sweep()
  await expect.poll(() => sweeps).toBe(1)
  add('late', 1)
  dispatcher.sweep()
  gate.open()
  await expect.poll(() => settled.length).toBe(1)
  expect(sweeps).toBe(2)
})

test('a process has no more items in hand than it may, and claims the rest later', async () => {
  const { queue, settled, claims, add } = createQueue({ maxOccupied: 4, lanesPerClaim: 1 })
  let [inHand, most] = [0, 0]
  const gate = createGate()
  const slow: Queue = {
    ...queue,
    async send(item) {
      inHand += 1
      most = Math.max(most, inHand)
      await gate.opened
      inHand -= 1
      return item
    },
  }
  for (let lane = 0; lane < 6; lane += 1) add(`lane ${lane}`, 2)
  startDispatcher(slow).sweep()
  await expect.poll(() => inHand).toBe(4)
  expect(claims).toHaveLength(2)
  gate.open()
  await expect.poll(() => settled.length).toBe(12)
  expect(most).toBe(4)
})

test('a claim that ends after the stop starts nothing', async () => {
  const gate = createGate()
  const { queue, waiting, settled, add } = createQueue()
  add('late', 2)
  let claiming = false
  const sent: number[] = []
  const dispatcher = startDispatcher({
    ...queue,
    async claim(...request) {
      claiming = true
      const claims = await queue.claim(...request)
      await gate.opened
      return claims
    },
    async send(item) {
      sent.push(item.id)
      return item
    },
  })
  dispatcher.sweep()
  await expect.poll(() => claiming).toBe(true)
  const stopped = dispatcher.stop()
  gate.open()
  await stopped
  expect([sent, settled, waiting]).toEqual([[], [], []])
  dispatcher.sweep()
  dispatcher.wake(['late'])
  expect(settled).toEqual([])
})

test('items that this process gives up take no room from others of their lane', async () => {
  for (const countsUnsettled of [true, false]) {
    const { queue, waiting, settled, add } = createQueue({ countsUnsettled })
    add('lane', 20)
    const last = waiting.at(-1)!.id
    startDispatcher({ ...queue, send: async (item) => (item.id === last ? item : null) }).sweep()
    await expect.poll(() => settled).toEqual([last])
  }
})

test('a lane never has more than its room, also where results take some until they are settled', async () => {
  const { queue, settled, claims, add } = createQueue({ countsUnsettled: true })
  add('lane', 30)
  startDispatcher(queue).sweep()
  await expect.poll(() => settled.length).toBe(30)
  expect(Math.max(...claims.flat().map(({ capacity }) => capacity))).toBe(4)
})

test('a lane of which nothing is left is given back with its last result', async () => {
  const { queue, settled, finished, add } = createQueue()
  add('lane', 3)
  const dispatcher = startDispatcher(queue)
  dispatcher.wake(['lane'])
  await expect.poll(() => settled.length).toBe(3)
  await expect.poll(() => finished.at(-1)).toBe('lane')
})

test('lanes that wait longer are claimed first', async () => {
  const { queue, settled, claims, add } = createQueue({ lanesPerClaim: 1 })
  for (const lane of ['a', 'b', 'c']) add(lane, 8)
  startDispatcher(queue).wake(['a', 'b', 'c'])
  await expect.poll(() => settled.length).toBe(24)
  expect(claims.slice(0, 3).map(([request]) => request!.lane)).toEqual(['a', 'b', 'c'])
})

test('the span of an item names its cause, and why it was not taken', async () => {
  const spans: { options: object; failure?: string; isEnded?: boolean }[] = []
  const tracing = {
    isOn: true,
    start(_name: string, options: object) {
      const span: (typeof spans)[number] = { options }
      spans.push(span)
      return {
        fail: (failure: string) => {
          span.failure = failure
        },
        end: () => {
          span.isEnded = true
        },
      }
    },
  }
  const { queue, settled, add } = createQueue()
  add('lane', 3)
  const described: Queue = {
    ...queue,
    send: async (item) => (item.id === 0 ? null : item),
    tracing: {
      describe: ({ id }) => ({ traceparent: id === 1 ? '00-1' : null, attributes: { id } }),
      failureOf: ({ id }) => (id === 1 ? 'refused' : null),
    },
  }
  startDispatcher(described, { tracing: tracing as never }).sweep()
  await expect.poll(() => settled.length).toBe(2)
  const kind = 'producer'
  expect(spans).toEqual([
    { options: { kind, attributes: { id: 0 } }, failure: 'given up', isEnded: true },
    {
      options: { kind, attributes: { id: 1 }, parent: { traceparent: '00-1' } },
      failure: 'refused',
      isEnded: true,
    },
    { options: { kind, attributes: { id: 2 } }, isEnded: true },
  ])
  spans.length = 0
  add('other', 1)
  startDispatcher(queue, { tracing: tracing as never }).sweep()
  await expect.poll(() => spans).toEqual([{ options: { kind, attributes: {} }, isEnded: true }])
})
