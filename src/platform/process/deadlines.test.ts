import { expect, it } from 'vitest'
import { type Deadline, Deadlines, within } from './deadlines.js'

/** A deadline that resolves when it expires. */
function deadlineIn(ms: number): Deadline & { readonly expired: Promise<number> } {
  let expire: (at: number) => void = () => {}
  const expired = new Promise<number>((resolve) => {
    expire = resolve
  })
  return { untilMs: performance.now() + ms, expired, expire: () => expire(performance.now()) }
}

it('deadlines expire, in whatever order they were added; what was removed does not', async () => {
  const deadlines = new Deadlines(20)
  const [late, early, removed] = [deadlineIn(60), deadlineIn(20), deadlineIn(20)]
  let hasRemovedExpired = false
  removed.expired.then(() => {
    hasRemovedExpired = true
  })
  for (const each of [late, early, removed]) deadlines.add(each)
  deadlines.remove(removed)
  expect(deadlines.size).toBe(2)
  await Promise.all([late.expired, early.expired])
  expect(deadlines.size).toBe(0)
  expect(hasRemovedExpired).toBe(false)
  // Its timer has ended, and begins again.
  const next = deadlineIn(20)
  deadlines.add(next)
  await next.expired
})

it('a deadline that is moved expires at its new time, and one may add others as it expires', async () => {
  const deadlines = new Deadlines(10)
  const moved = deadlineIn(10)
  const added = deadlineIn(40)
  deadlines.add(moved)
  moved.untilMs += 20
  deadlines.add({ untilMs: performance.now(), expire: () => deadlines.add(added) })
  const movedUntilMs = moved.untilMs
  expect(await moved.expired).toBeGreaterThan(movedUntilMs - 10)
  await added.expired
})

it('within: the result, the failure, or unavailable when the time is over', async () => {
  const deadlines = new Deadlines(10)
  await expect(within(deadlines, 10_000, Promise.resolve(1))).resolves.toBe(1)
  await expect(within(deadlines, 10_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(deadlines.size).toBe(0)
  const never = new Promise<never>(() => {})
  await expect(within(deadlines, 10, never)).rejects.toMatchObject({ code: 'unavailable' })
})
