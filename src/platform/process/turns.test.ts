import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

// A queue of its own: other files of this process may have requests that are still being answered.
vi.resetModules()
const { beginOrdinaryRequest, inSlices, nextTurn } = await import('./turns.js')

/** Time stands still unless a test moves it: a pause of four milliseconds passes by itself on a busy machine. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

it('one slice runs in each turn of the event loop, whichever request it is of', async () => {
  const slices: string[] = []
  async function work(name: string): Promise<void> {
    for (let slice = 0; slice < 3; slice += 1) {
      await nextTurn()
      slices.push(name)
    }
  }
  const all = Promise.all([work('a'), work('b'), work('c')])
  const seen: number[] = []
  while (slices.length < 9) {
    await setImmediate()
    seen.push(slices.length)
  }
  await all
  expect(seen.every((count, index) => count - (seen[index - 1] ?? 0) <= 1)).toBe(true)
  expect(slices.join('')).toBe('abcabcabc')
})

it('a short list is converted at once, a long one in parts', async () => {
  const double = (numbers: readonly number[]) => numbers.map((number) => 2 * number)
  expect(await inSlices([1, 2], 2, double)).toEqual([[2, 4]])
  expect(await inSlices([1, 2, 3], 2, double)).toEqual([[2, 4], [6]])
  expect(await inSlices([], 2, double)).toEqual([[]])
})

it('slices wait while an ordinary request is answered, and go on after it', async () => {
  const seen: string[] = []
  const end = beginOrdinaryRequest()
  const work = nextTurn().then(() => seen.push('slice'))
  for (let turn = 0; turn < 5; turn += 1) await setImmediate()
  seen.push('answer')
  end()
  end()
  await work
  expect(seen).toEqual(['answer', 'slice'])
})

it('slices do not wait for ordinary requests forever', async () => {
  const ends = [beginOrdinaryRequest(), beginOrdinaryRequest()]
  const first = nextTurn()
  await vi.advanceTimersByTimeAsync(4)
  await first
  const second = nextTurn()
  await vi.advanceTimersByTimeAsync(4)
  await second
  for (const end of ends) end()
})

it('slices that take long get smaller', async () => {
  const sizes: number[] = []
  await inSlices(Array.from({ length: 100 }), 40, (slice) => {
    sizes.push(slice.length)
    vi.advanceTimersByTime(1.5)
  })
  expect(sizes).toEqual([40, 20, 10, 5, 5, 5, 5, 5, 5])
})

it('slices that get fast grow again, up to the most', async () => {
  const sizes: number[] = []
  await inSlices(Array.from({ length: 200 }), 40, (slice) => {
    sizes.push(slice.length)
    if (sizes.length <= 2) vi.advanceTimersByTime(1.5)
  })
  expect(sizes).toEqual([40, 20, 10, 20, 40, 40, 30])
})

it('a request that ends twice does not end another one', async () => {
  const seen: string[] = []
  const end = beginOrdinaryRequest()
  const endOther = beginOrdinaryRequest()
  const work = nextTurn().then(() => seen.push('slice'))
  end()
  end()
  await setImmediate()
  await setImmediate()
  seen.push('answer')
  endOther()
  await work
  expect(seen).toEqual(['answer', 'slice'])
})
