import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startRead } from './read-turns.js'

/** Time stands still unless a read takes some: on a busy machine it passes anywhere. It begins again with each test, in a new turn. */
beforeEach(async () => {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  const turns = { count: 0, isStopped: false }
  const next = () => {
    turns.count += 1
    if (!turns.isStopped) globalThis.setImmediate(next)
  }
  next()
  return turns
}

it('reads that fill the thread run one after the other, each in a turn of its own', async () => {
  const turns = countTurns()
  const started: { read: number; turn: number }[] = []
  await new Promise<void>((resolve) => {
    for (let read = 0; read < 6; read += 1) {
      startRead(() => {
        started.push({ read, turn: turns.count })
        vi.advanceTimersByTime(2.5)
        if (started.length === 6) resolve()
      })
    }
  })
  turns.isStopped = true
  expect(started.map(({ read }) => read)).toEqual([0, 1, 2, 3, 4, 5])
  expect(new Set(started.map(({ turn }) => turn)).size).toBe(6)
})

it('a read on an idle thread starts at once, and so do those after others have ended', async () => {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  const seen: string[] = []
  startRead(() => seen.push('first'))
  expect(seen).toEqual(['first'])
  for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  startRead(() => seen.push('second'))
  expect(seen).toEqual(['first', 'second'])
})

it('every read starts, however many come while others run', async () => {
  let started = 0
  for (let turn = 0; turn < 20; turn += 1) {
    for (let read = 0; read < 50; read += 1) {
      startRead(() => {
        started += 1
        vi.advanceTimersByTime(0.05)
      })
    }
    await setImmediate()
  }
  while (started < 1_000) await setImmediate()
  for (let turn = 0; turn < 3; turn += 1) await setImmediate()
  expect(started).toBe(1_000)
})

it('a read that waits belongs to its own request', async () => {
  const requests = new AsyncLocalStorage<number>()
  const seen: (number | undefined)[] = []
  for (let request = 0; request < 5; request += 1) {
    requests.run(request, () =>
      startRead(() => {
        seen.push(requests.getStore())
        vi.advanceTimersByTime(2.5)
      }),
    )
  }
  while (seen.length < 5) await setImmediate()
  expect(seen).toEqual([0, 1, 2, 3, 4])
})

it('a read that comes while others wait does not overtake them', async () => {
  const seen: string[] = []
  startRead(() => {
    vi.advanceTimersByTime(2.5)
  })
  startRead(() => {
    seen.push('waited first')
    // Its turn has just begun, and the next one still waits.
    startRead(() => seen.push('came last'))
  })
  startRead(() => seen.push('waited second'))
  while (seen.length < 3) await setImmediate()
  expect(seen).toEqual(['waited first', 'waited second', 'came last'])
})
