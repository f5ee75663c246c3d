import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inSlices, nextTurn } from './turns.js'

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
