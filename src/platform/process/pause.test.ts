import { getEventListeners, once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { pause, resultWithin } from './pause.js'

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

it('a result that comes in time counts, also if the thread was busy until after the timeout', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [socket] = await accepted
  onTestFinished(() => {
    for (const each of [client, socket]) each.destroy()
    server.close()
  })
  const result = resultWithin(5, once(client, 'data'))
  socket.write('in time')
  const startMs = performance.now()
  while (performance.now() - startMs < 10);
  expect(String(await result)).toBe('in time')
  expect(await resultWithin(1, once(client, 'data'))).toBeNull()
})
