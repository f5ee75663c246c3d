import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createLogger } from '../platform/log/logger.js'
import { createMetrics } from '../platform/metrics.js'
import { buildServer } from './server.js'

const MB = 1024 * 1024
const reply = Buffer.alloc(128 * MB)

/** Asks for a reply that no buffer of a connection has room for, and waits until its time has begun. */
async function open() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  let noteEnd = () => {}
  const ended = new Promise<void>((resolve) => {
    noteEnd = resolve
  })
  const app = await buildServer({
    log: createLogger('silent'),
    metrics: createMetrics(),
    trustProxy: false,
    requestTimeoutMs: 30_000,
    routes: [
      (scope) => {
        scope.get('/large', async ({ raw }) => {
          raw.socket.once('close', noteEnd)
          return reply
        })
      },
    ],
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(async () => {
    // The end of a connection waits for real time.
    vi.useRealTimers()
    socket.destroy()
    await app.close()
  })
  socket.write('GET /large HTTP/1.1\r\nhost: a\r\n\r\n')
  await once(socket, 'readable')
  vi.advanceTimersByTime(1_000)
  return { socket, ended }
}

/** Reads some bytes of what the server sends; fewer when it ends the connection. */
async function take(socket: Socket, bytes: number): Promise<number> {
  let taken = 0
  while (taken < bytes && !socket.destroyed) {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) await Promise.race([once(socket, 'readable'), once(socket, 'close')])
    else taken += chunk.length
  }
  return taken
}

it('a client that takes a part of its reply each minute gets all of it', async () => {
  const { socket } = await open()
  let taken = 0
  while (taken < reply.length && !socket.destroyed) {
    taken += await take(socket, Math.min(32 * MB, reply.length - taken))
    vi.advanceTimersByTime(60_000)
  }
  expect(taken).toBeGreaterThanOrEqual(reply.length)
})

it('a client that takes a byte of its reply each minute is disconnected', async () => {
  const { socket, ended } = await open()
  for (const byte of [1, 1, 1]) {
    socket.read(byte)
    vi.advanceTimersByTime(60_000)
  }
  await ended
  expect(socket.bytesRead).toBeLessThan(reply.length)
})
