import { EventEmitter, once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { limits } from '../limits/limits.js'
import { createSlots } from '../limits/slots.js'
import { EventStreams } from './event-streams.js'

it('a reader that left before its stream began: the stream does not run, and its slot is free', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  const taken: number[] = []
  const slots = createSlots(limits.eventStreams, limits.eventStreamsOfCaller, {
    onChange: (count) => taken.push(count),
  })
  const streams = new EventStreams({ slots, stallTimeoutMs: 60_000 })
  streams.register(app)
  let runs = 0
  app.get('/', (request, reply) =>
    streams.open(request, reply, {
      caller: 'address 192.0.2.1',
      subscribe: () => once(reply.raw, 'close'),
      run: async (_response, _subscription, { signal }) => {
        runs += 1
        await once(signal, 'abort')
      },
    }),
  )
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const arrived = once(app.server, 'request')
  const socket = connect(port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  await arrived
  socket.destroy()
  await expect.poll(() => taken).toEqual([1, 0])
  expect(runs).toBe(0)
})

it('a stream that is asked for while the server stops is refused', async () => {
  const app = Fastify({ return503OnClosing: false })
  const slots = createSlots(limits.eventStreams, limits.eventStreamsOfCaller)
  const streams = new EventStreams({ slots, stallTimeoutMs: 60_000 })
  streams.register(app)
  const aborted = new EventEmitter()
  let runs = 0
  let endFirst = () => {}
  app.get('/', (request, reply) =>
    streams.open(request, reply, {
      caller: 'address 192.0.2.1',
      subscribe: async () => {},
      run: async (_response, _subscription, { signal }) => {
        runs += 1
        await new Promise<void>((resolve) => {
          endFirst = resolve
          signal.addEventListener('abort', () => aborted.emit('abort'))
          reply.raw.write(': open\n')
        })
        reply.raw.end()
      },
    }),
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const first = await fetch(url)
  const stopping = once(aborted, 'abort')
  const closed = app.close()
  await stopping
  const refused = await (await fetch(url)).json()
  endFirst()
  await Promise.all([first.text(), closed])
  expect([runs, refused]).toEqual([1, expect.objectContaining({ message: 'the server is stopping' })])
})
