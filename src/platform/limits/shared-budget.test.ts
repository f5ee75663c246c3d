import { expect, it } from 'vitest'
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

function twoProcesses() {
  const now = Date.now()
  return [1, 2].map(() => createSharedBudget(limits.apiRequests, () => now, 0)) as [
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

it('while the database is away: each counts for itself, and tells later', async () => {
  const [left, right] = twoProcesses()
  const away = (() => Promise.reject(new Error('away'))) as unknown as typeof db
  expect(request(left, 4, 9)).toBe(4)
  await expect(left.share(away)).rejects.toThrow('away')
  expect(request(left, 2, 9)).toBe(2)
  await left.share(db)
  expect(request(right, 1, 9)).toBe(1)
  await right.share(db)
  expect(request(right, 9, 9)).toBe(3)
})
