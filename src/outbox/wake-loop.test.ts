import { expect, test } from 'vitest'
import { silentLog } from '../platform/log/log.js'
import { WakeLoop } from './wake-loop.js'

function createLoop(step: () => Promise<boolean>) {
  const stopping = new AbortController()
  const errors: string[] = []
  const log = { ...silentLog, error: (_fields: object, message: string) => void errors.push(message) }
  const loop = new WakeLoop({ step, signal: stopping.signal, log, failureMessage: 'the step fails' })
  return { loop, errors, stopping }
}

test('a step that fails is repeated without another wake, and logged once until one succeeds', async () => {
  let steps = 0
  const { loop, errors } = createLoop(async () => {
    steps += 1
    if (steps < 3 || steps === 4) throw new Error('away')
    return steps === 3
  })
  loop.wake()
  await expect.poll(() => steps).toBe(5)
  await loop.idle()
  expect(errors).toEqual(['the step fails', 'the step fails'])
})

test('a wake during a step leads to another step, and several to one', async () => {
  let steps = 0
  const { loop } = createLoop(async () => {
    await null
    steps += 1
    if (steps === 1) for (let wakes = 0; wakes < 3; wakes += 1) loop.wake()
    return false
  })
  loop.wake()
  await loop.idle()
  expect(steps).toBe(2)
})

test('a loop that is stopped does not repeat a step that fails', async () => {
  let steps = 0
  const { loop, stopping } = createLoop(async () => {
    steps += 1
    stopping.abort()
    throw new Error('away')
  })
  loop.wake()
  await loop.idle()
  expect(steps).toBe(1)
})
