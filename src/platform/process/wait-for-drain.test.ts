import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { waitForDrain } from './wait-for-drain.js'

const neverAborted = new AbortController().signal

/** A stream whose `write` has said that it is full. */
function fullStream(): PassThrough {
  const stream = new PassThrough({ highWaterMark: 1 })
  expect(stream.write('more than one')).toBe(false)
  return stream
}

it('waits until there is room', async () => {
  const stream = fullStream()
  const hasRoom = waitForDrain(stream, 60_000, neverAborted)
  stream.resume()
  expect(await hasRoom).toBe(true)
})

it('gives up after a while', async () => {
  expect(await waitForDrain(fullStream(), 1, neverAborted)).toBe(false)
})

it('gives up when it is told to, also before it begins', async () => {
  const stop = new AbortController()
  const hasRoom = waitForDrain(fullStream(), 60_000, stop.signal)
  stop.abort()
  expect(await hasRoom).toBe(false)
  expect(await waitForDrain(fullStream(), 60_000, stop.signal)).toBe(false)
})

it('leaves nothing behind', async () => {
  const stream = fullStream()
  const before = stream.listenerCount('drain')
  await waitForDrain(stream, 1, neverAborted)
  expect(stream.listenerCount('drain')).toBe(before)
})
