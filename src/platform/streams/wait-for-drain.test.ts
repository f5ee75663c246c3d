import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { waitForDrain } from './wait-for-drain.js'

const neverAborted = new AbortController().signal

/** Creates a stream whose `write` has returned false. */
function fullStream(): PassThrough {
  const stream = new PassThrough({ highWaterMark: 1 })
  expect(stream.write('more than one')).toBe(false)
  return stream
}

it('waits until the stream drains', async () => {
  const stream = fullStream()
  const hasRoom = waitForDrain(stream, 60_000, neverAborted)
  stream.resume()
  expect(await hasRoom).toBe(true)
})

it('gives up after the timeout', async () => {
  expect(await waitForDrain(fullStream(), 1, neverAborted)).toBe(false)
})

it('gives up when the signal aborts, also before it waits', async () => {
  const stop = new AbortController()
  const hasRoom = waitForDrain(fullStream(), 60_000, stop.signal)
  stop.abort()
  expect(await hasRoom).toBe(false)
  expect(await waitForDrain(fullStream(), 60_000, stop.signal)).toBe(false)
})

it('leaves no listener on the stream', async () => {
  const stream = fullStream()
  const before = stream.listenerCount('drain')
  await waitForDrain(stream, 1, neverAborted)
  expect(stream.listenerCount('drain')).toBe(before)
})
