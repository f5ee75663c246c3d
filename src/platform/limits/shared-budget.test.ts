import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { limits } from './limits.js'
import { createSharedBudget } from './shared-budget.js'

const { db } = await createTestDatabase()
const KEY = 7

/** Requests of a key that a process lets through of so many. */
function request(
  budget: ReturnType<typeof createSharedBudget>,
  count: number,
  key = KEY,
  limit = 10,
): number {
  const statuses = Array.from({ length: count }, () => budget.counter.take(key, limit)!)
  return statuses.filter(({ retryAfterSeconds }) => retryAfterSeconds === 0).length
}

const away = (() => Promise.reject(new Error('away'))) as unknown as typeof db

function twoProcesses(clock = () => 0) {
  return [1, 2].map(() => createSharedBudget(limits.apiRequests, clock, 0)) as [
    ReturnType<typeof createSharedBudget>,
    ReturnType<typeof createSharedBudget>,
  ]
}

it('two processes that have told each other: the key has one limit', async () => {
  const [left, right] = twoProcesses()
  expect(request(left, 7)).toBe(7)
  await left.share(db)
  expect(request(right, 2)).toBe(2)
  await right.share(db)
  // Of ten one is left, for the caller that asks first.
  expect(request(right, 5)).toBe(1)
  await right.share(db)
  await left.share(db)
  expect(request(left, 5)).toBe(3)
  await left.share(db)
  expect(left.counter.take(KEY, 10)).toMatchObject({ remaining: 0 })
  expect(request(left, 5)).toBe(0)
})

it('a key that was used up elsewhere: refused after its first second, for as long as both took too much', async () => {
  const [left, right] = twoProcesses()
  expect([request(left, 10, 8), request(right, 10, 8)]).toEqual([10, 10])
  await left.share(db)
  await right.share(db)
  const refused = right.counter.take(8, 10)!
  // Ten too many, and then one: eleven refills of six seconds.
  expect(refused.retryAfterSeconds).toBeGreaterThan(60)
  expect(refused.retryAfterSeconds).toBeLessThanOrEqual(66)
})

it('a burst to each of eight processes -> the key waits for all of them', async () => {
  const processes = Array.from({ length: 8 }, () => createSharedBudget(limits.apiRequests, () => 0, 0))
  for (const budget of processes) {
    expect(request(budget, 10, 11)).toBe(10)
    await budget.share(db)
  }
  const [{ tokens } = { tokens: 0 }] = await db<{ tokens: number }[]>`
    select tokens from app.request_budgets where scope = ${limits.apiRequests.scope} and key = 11`
  // 70, less what has refilled meanwhile.
  expect(tokens).toBeLessThan(-60)
})

it('a limit that was lowered -> the key waits for an hour at most', async () => {
  const [left, right] = twoProcesses()
  expect([request(left, 1_000, 12, 1_000), request(right, 1_000, 12, 1_000)]).toEqual([1_000, 1_000])
  await left.share(db)
  await right.share(db)
  const lowered = createSharedBudget(limits.apiRequests, () => 0, 0)
  expect(request(lowered, 1, 12, 1)).toBe(1)
  await lowered.share(db)
  expect(lowered.counter.take(12, 1)).toMatchObject({ retryAfterSeconds: 61 * 60 })
})

it.each([
  ['before it was told', 13, false],
  ['after it was told', 14, true],
])('a request that is given back %s is free for all processes', async (_, key, isTold) => {
  const [left, right] = twoProcesses()
  expect(request(left, 10, key)).toBe(10)
  if (isTold) await left.share(db)
  left.counter.giveBack(key, 10)
  await left.share(db)
  const [row] = await db<{ tokens: number }[]>`
    select tokens from app.request_budgets where scope = ${limits.apiRequests.scope} and key = ${key}`
  expect(row!.tokens).toBeGreaterThanOrEqual(1)
  expect(request(left, 1, key)).toBe(1)
  expect(request(right, 1, key)).toBe(1)
})

it('a request that is given back adds nothing to a full bucket', async () => {
  const [left] = twoProcesses()
  expect(request(left, 1, 15)).toBe(1)
  left.counter.giveBack(15, 10)
  left.counter.giveBack(15, 10)
  await left.share(db)
  left.counter.giveBack(15, 10)
  await left.share(db)
  const rows = await db`
    select tokens from app.request_budgets where scope = ${limits.apiRequests.scope} and key = 15`
  expect(rows).toEqual([{ tokens: 10 }])
})

it('without a limit nothing is given back', async () => {
  const [left] = twoProcesses()
  left.counter.giveBack(16)
  await left.share(db)
  expect(await db`select from app.request_budgets where key = 16`).toHaveLength(0)
})

it('while the database is away: each counts for itself, and tells later', async () => {
  const [left, right] = twoProcesses()
  expect(request(left, 4, 9)).toBe(4)
  await expect(left.share(away)).rejects.toThrow('away')
  expect(request(left, 2, 9)).toBe(2)
  await left.share(db)
  expect(request(right, 1, 9)).toBe(1)
  await right.share(db)
  expect(request(right, 9, 9)).toBe(3)
})

describe('after an outage of five minutes', () => {
  const OUTAGE_SECONDS = 300

  /** Two processes that had used nothing before the outage, during which each lets through so many requests every six seconds. */
  async function afterOutage(key: number, { perStep, rowIsLost }: { perStep: number; rowIsLost: boolean }) {
    let nowMs = 0
    const processes = twoProcesses(() => nowMs)
    if (!rowIsLost) {
      await db`
        insert into app.request_budgets (scope, key, size, tokens, at)
        values (
          ${limits.apiRequests.scope}, ${key}, 10, 10, now() - ${OUTAGE_SECONDS}::integer * interval '1 second'
        )`
    }
    for (let step = 0; step < OUTAGE_SECONDS / 6; step += 1) {
      for (const budget of processes) {
        expect(request(budget, perStep, key)).toBe(perStep)
        await expect(budget.share(away)).rejects.toThrow('away')
      }
      nowMs += 6_000
    }
    return processes
  }

  it.each([
    ['the shared bucket is kept', 20, false],
    ['the shared bucket is lost', 21, true],
  ])('%s: a key within its limit goes on in every process', async (_, key, rowIsLost) => {
    const processes = await afterOutage(key, { perStep: 1, rowIsLost })
    for (const budget of processes) {
      await budget.share(db)
      expect(budget.counter.take(key, 10)).toMatchObject({ retryAfterSeconds: 0 })
    }
  })

  it.each([
    ['the shared bucket is kept', 22, false],
    ['the shared bucket is lost', 23, true],
  ])('%s: what a process let through at once is told', async (_, key, rowIsLost) => {
    const [left, right] = await afterOutage(key, { perStep: 1, rowIsLost })
    await left.share(db)
    expect(request(left, 10, key)).toBe(10)
    await left.share(db)
    await right.share(db)
    expect(request(right, 10, key)).toBe(0)
  })

  it('the exchange took as long: a key within its limit goes on', async () => {
    let nowMs = 0
    const [budget] = twoProcesses(() => nowMs)
    let answer = (_rows: { key: number; tokens: number }[]) => {}
    const hanging = (() =>
      new Promise((resolve) => {
        answer = resolve
      })) as unknown as typeof db
    expect(request(budget, 1, 24)).toBe(1)
    const sharing = budget.share(hanging)
    for (let step = 0; step < OUTAGE_SECONDS / 6; step += 1) {
      nowMs += 6_000
      expect(request(budget, 1, 24)).toBe(1)
    }
    answer([{ key: 24, tokens: 9 }])
    await sharing
    expect(request(budget, 1, 24)).toBe(1)
    await budget.share(db)
    expect(budget.counter.take(24, 10)).toMatchObject({ retryAfterSeconds: 0 })
  })
})
