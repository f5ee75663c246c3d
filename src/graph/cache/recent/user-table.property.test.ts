import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SignalCache } from './signal-cache.js'
import { UserTable } from './user-table.js'

/** Numbers for both ways of looking one up. */
const anyFid = fc.constantFrom(0, 1, 2, 1_023, 1_024, 70_000, 2 ** 22 - 1, 2 ** 22, 2 ** 32, 2 ** 53 - 1)

test('a user has one number for as long as it is in the table', () => {
  const anyStep = fc.record({ isAdded: fc.boolean(), fid: anyFid })
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
      const table = new UserTable<string>()
      const numbers = new Map<number, number>()
      for (const { isAdded, fid } of steps) {
        if (isAdded && !numbers.has(fid)) numbers.set(fid, table.add(fid, `activity of ${fid}`))
        else if (!isAdded && numbers.delete(fid)) table.remove(fid)
        for (const [known, user] of numbers) expect(table.find(known)).toBe(user)
        expect(table.find(fid)).toBe(numbers.get(fid) ?? -1)
      }
      expect(table.size).toBe(numbers.size)
      expect(new Set(numbers.values()).size).toBe(numbers.size)
      const activities = () =>
        Array.from({ length: table.end }, (_, user) => user)
          .filter((user) => table.isUsed(user))
          .map((user) => table.activity(user))
      expect(activities().sort()).toEqual([...numbers.keys()].map((fid) => `activity of ${fid}`).sort())
      table.clear()
      expect([table.size, activities(), ...[...numbers.keys()].map((fid) => table.find(fid))]).toEqual([
        0,
        [],
        ...[...numbers].map(() => -1),
      ])
    }),
    { numRuns: 50 },
  )
})

test('more users than the table has room for at first keep what belongs to them', () => {
  const table = new UserTable<number>()
  const users = Array.from({ length: 3_000 }, (_, index) => table.add(2 * index, index))
  for (const [index, user] of users.entries()) table.feedEnds[user] = index
  for (const [index, user] of users.entries()) {
    expect([table.find(2 * index), table.activity(user), table.feedEnds[user]]).toEqual([user, index, index])
  }
})

test('signals are kept for the times that they were read for, until the user acts', () => {
  const table = new UserTable<null>()
  const signals = new SignalCache(table)
  const [one, other] = [table.add(1, null), table.add(2, null)]
  signals.store(one, [100, 200, 5, 5, 5])
  const isKept = (user: number, since: number, ts: number) => signals.rowOf(user, since, ts) > 0
  expect([isKept(one, 100, 200), isKept(one, 99, 200), isKept(one, 100, 199)]).toEqual([true, false, false])
  expect(isKept(other, 100, 200)).toBe(false)
  signals.invalidate(one)
  expect(isKept(one, 100, 200)).toBe(false)
  signals.store(one, [100, 200, 5, 5, 5])
  table.remove(1)
  signals.invalidate(one)
  expect([table.add(3, null), isKept(one, 100, 200)]).toEqual([one, false])
})

test('signals of more users than there are rows are forgotten between requests, not in one', () => {
  const table = new UserTable<null>()
  const signals = new SignalCache(table)
  const users = Array.from({ length: 50_001 }, (_, fid) => table.add(fid, null))
  for (const user of users) signals.store(user, [0, 1, 5, 5, 5])
  const kept = () => users.filter((user) => signals.rowOf(user, 0, 1) > 0).length
  expect(kept()).toBe(49_999)
  signals.makeRoom()
  expect(kept()).toBe(0)
  signals.store(users[0]!, [0, 1, 5, 5, 5])
  expect(kept()).toBe(1)
})
