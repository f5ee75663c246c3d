import { expect, it } from 'vitest'
import { createPacedRuns } from './paced-runs.js'

it('callers that come during a run share the next one', async () => {
  let runs = 0
  const ends: (() => void)[] = []
  const read = createPacedRuns(async () => {
    const number = ++runs
    await new Promise<void>((resolve) => ends.push(resolve))
    return number
  })
  const first = read()
  await expect.poll(() => ends.length).toBe(1)
  const others = [read(), read(), read()]
  ends[0]!()
  expect(await first).toBe(1)
  await expect.poll(() => ends.length).toBe(2)
  ends[1]!()
  expect(await Promise.all(others)).toEqual([2, 2, 2])
})

it('a run that fails fails its callers, and not the next ones', async () => {
  let runs = 0
  const read = createPacedRuns(async () => {
    runs += 1
    if (runs === 1) throw new Error('away')
    return runs
  })
  await expect(read()).rejects.toThrow('away')
  expect(await read()).toBe(2)
})
