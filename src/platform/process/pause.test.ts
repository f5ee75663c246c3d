import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { pause } from './pause.js'

const HOUR_MS = 3_600_000

it('ends after its time, or when the signal aborts', async () => {
  const stopping = new AbortController()
  await pause(1, stopping.signal)
  await pause(1)
  const waiting = pause(HOUR_MS, stopping.signal)
  stopping.abort()
  await waiting
  await pause(HOUR_MS, stopping.signal)
})

it('leaves no listener on the signal', async () => {
  const { signal } = new AbortController()
  for (let turn = 0; turn < 20; turn += 1) await pause(0, signal)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})
