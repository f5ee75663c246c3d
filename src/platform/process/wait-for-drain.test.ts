import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { drained } from './wait-for-drain.js'

const never = new AbortController().signal

/** A stream whose `write` has said that it is full. */
function fullStream(): PassThrough {
  const stream = new PassThrough({ highWaterMark: 1 })
  expect(stream.write('more than one')).toBe(false)
  return stream
}

it('waits until there is room', async () => {
  const stream = fullStream()
  const hasRoom = drained(stream, 60_000, never)
  stream.resume()
  expect(await hasRoom).toBe(true)
})

it('gives up after a while', async () => {
  expect(await drained(fullStream(), 1, never)).toBe(false)
})

it('gives up when it is told to, also before it begins', async () => {
  const stop = new AbortController()
  const hasRoom = drained(fullStream(), 60_000, stop.signal)
  stop.abort()
  expect(await hasRoom).toBe(false)
  expect(await drained(fullStream(), 60_000, stop.signal)).toBe(false)
})

it('leaves nothing behind', async () => {
  const stream = fullStream()
  const before = stream.listenerCount('drain')
  await drained(stream, 1, never)
  expect(stream.listenerCount('drain')).toBe(before)
})
