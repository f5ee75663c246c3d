import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { allowHeavyWork } from './heavy-requests.js'
import { createWorkLimits } from './work-limits.js'

const price = { lane: 'reads', msPerRequest: 1, msPerKb: 1 } as const
const caller = 'address 192.0.2.1'
const free = { running: 0, sending: 0, waiting: 0 }

/** A server with one place for heavy reads; `/early` leaves its client the time to go before its handler runs. */
async function serve() {
  const app = Fastify()
  onTestFinished(() => app.close())
  const limits = createWorkLimits({ clock: Date.now, concurrency: 1, refusalMs: 0 })
  const runHeavy = allowHeavyWork(app, limits)
  app.addHook('onRequest', async (request, reply) => {
    if (request.url === '/early') await once(reply.raw, 'close')
  })
  const answerBytes = (answer: string) => answer.length
  const aborted = new Promise<void>((resolve) => {
    app.addHook('onRequestAbort', async (_request) => resolve())
  })
  let runs = 0
  for (const url of ['/early', '/read']) {
    app.get(url, (_request, reply) =>
      runHeavy({ price, caller, answerBytes }, reply, async () => {
        runs += 1
        return 'done'
      }),
    )
  }
  let end = () => {}
  const ended = new Promise<string>((resolve) => {
    end = () => resolve('done')
  })
  // With the reply of a server that does not wait for its work any longer.
  app.get('/late', async (_request, reply) => {
    runHeavy({ price, caller, answerBytes }, reply, () => ended).catch(() => {})
    await expect.poll(() => limits.usage().reads?.running).toBe(1)
    return 'late'
  })
  app.post('/refused', ({ body }, reply) =>
    runHeavy({ price, caller, bodyBytes: String(body).length, answerBytes }, reply, () =>
      Promise.reject(new Error('refused')),
    ),
  )
  app.get('/slow', (_request, reply) => runHeavy({ price, caller, answerBytes }, reply, () => ended))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const send = (path: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    return socket
  }
  return { app, limits, send, end, aborted, runs: () => runs, url: `http://127.0.0.1:${port}` }
}

it('a client that left before its heavy work began keeps nobody out', async () => {
  const { app, limits, send, runs, url } = await serve()
  for (const round of [1, 2]) {
    const arrived = once(app.server, 'request')
    const socket = send('/early')
    await arrived
    socket.destroy()
    await expect.poll(runs).toBe(round)
    await expect.poll(() => limits.usage().reads).toEqual(free)
  }
  expect(await (await fetch(`${url}/read`)).text()).toBe('done')
})

it('work whose client has left, or has its reply, keeps its place until it ends', async () => {
  for (const path of ['/slow', '/late']) {
    const { limits, send, end, url, aborted } = await serve()
    const usage = () => limits.usage().reads
    if (path === '/late') expect(await (await fetch(url + path)).text()).toBe('late')
    else {
      const socket = send(path)
      await expect.poll(usage).toMatchObject({ running: 1 })
      socket.destroy()
      await aborted
    }
    // It waits, because the place is taken.
    const reply = fetch(`${url}/read`)
    await expect.poll(usage).toEqual({ running: 1, sending: 0, waiting: 1 })
    end()
    expect(await (await reply).text()).toBe('done')
    await expect.poll(usage).toEqual(free)
  }
})

it('a client that leaves while it waits for its turn gives up its place', async () => {
  const { limits, send, runs, url } = await serve()
  const work = await limits.begin({ price, caller })
  const sockets = [send('/read'), send('/read')]
  await expect.poll(() => limits.usage().reads?.waiting).toBe(2)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => limits.usage().reads?.waiting).toBe(0)
  work.leave()
  expect(await (await fetch(`${url}/read`)).text()).toBe('done')
  await expect.poll(() => limits.usage().reads).toEqual(free)
  expect(runs()).toBe(1)
})

it('a body that is refused is paid for, as one that is accepted', async () => {
  const { app } = await serve()
  const remaining = async (payload: string) => {
    const { statusCode, headers } = await app.inject({
      method: 'POST',
      url: '/refused',
      headers: { 'content-type': 'text/plain' },
      payload,
    })
    expect(statusCode).toBe(500)
    return Number(headers['ratelimit-remaining'])
  }
  const [small, large] = [await remaining('a'), await remaining('a'.repeat(100_000))]
  // A millisecond for the request and one for each kilobyte; a part of it may have come back meanwhile.
  expect(small - large).toBeGreaterThan(50)
})
