import { expect, it } from 'vitest'
import type { LimitStatus } from './counter.js'
import { createWorkLimits } from './work-limits.js'

const MINUTE_MS = 60_000
const price = { lane: 'reads', msPerRequest: 10, msPerKb: 1 } as const
const caller = 'address 192.0.2.1'

function limitsAt(options: { budgetMs?: number; concurrency?: number; refusalMs?: number } = {}) {
  const time = { now: 1_000_000 }
  const refusals: string[] = []
  const limits = createWorkLimits({
    clock: () => time.now,
    refusalMs: 0,
    onRefused: (lane, reason) => refusals.push(`${lane} ${reason}`),
    ...options,
  })
  return { limits, time, refusals }
}

it('work takes its price from the budget of its caller, which refills within a minute', async () => {
  const { limits, time, refusals } = limitsAt({ budgetMs: 100 })
  const statuses: LimitStatus[] = []
  const onStatus = (status: LimitStatus) => statuses.push(status)
  const first = await limits.begin({ price, caller, onStatus })
  first.pay(50_000)
  first.leave()
  expect(statuses.at(-1)).toMatchObject({ limit: 100, remaining: 40, resetSeconds: 36, retryAfterSeconds: 0 })
  // Something is left, so it may begin, and it owes the rest.
  const second = await limits.begin({ price, caller, onStatus })
  second.pay(80_000)
  second.leave()
  await expect(limits.begin({ price, caller, onStatus })).rejects.toMatchObject({
    code: 'bad_request.rate_limited',
    message: 'more than 100 ms of heavy work a minute; try again in 30 seconds',
    retryAfterSeconds: 30,
  })
  expect(statuses.at(-1)).toMatchObject({ remaining: 0, retryAfterSeconds: 30 })
  expect(refusals).toEqual(['reads budget'])
  const other = await limits.begin({ price, caller: 'key 1' })
  other.leave()
  time.now += MINUTE_MS / 2 + 1
  const third = await limits.begin({ price, caller })
  third.leave()
})

it('no budget -> only the gate bounds, and replies have no status', async () => {
  const { limits, refusals } = limitsAt({ budgetMs: 0, concurrency: 1 })
  const statuses: LimitStatus[] = []
  const work = await limits.begin({ price, caller, onStatus: (status) => statuses.push(status) })
  work.pay(1_000_000_000)
  const waiting = Array.from({ length: 64 }, () => limits.begin({ price, caller }))
  await expect(limits.begin({ price, caller })).rejects.toMatchObject({ code: 'bad_request.rate_limited' })
  expect(refusals).toEqual(['reads gate'])
  expect(limits.usage()).toMatchObject({ reads: { running: 1, waiting: 64 }, writes: { running: 0 } })
  work.leave()
  for (const each of waiting) (await each).leave()
  expect(statuses).toEqual([])
})

it('bulk writes have a gate of their own', async () => {
  const { limits } = limitsAt({ concurrency: 1 })
  await limits.begin({ price, caller })
  const write = await limits.begin({ price: { ...price, lane: 'writes' }, caller })
  write.leave()
  expect(limits.usage()).toMatchObject({ reads: { running: 1 }, writes: { running: 0 } })
})

it('a refusal that comes late keeps nobody else out', async () => {
  // Longer than the test may take.
  const { limits } = limitsAt({ budgetMs: 5, concurrency: 1, refusalMs: 1_000_000 })
  const gone = new AbortController()
  const work = await limits.begin({ price, caller })
  const broke = limits.begin({ price, caller, signal: gone.signal })
  const other = limits.begin({ price, caller: 'key 1' })
  work.pay(0)
  work.leave()
  ;(await other).leave()
  gone.abort()
  await expect(broke).rejects.toMatchObject({ code: 'bad_request.rate_limited' })
})
