import { once } from 'node:events'
import { request as startRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { answerPreflights } from '../platform/http/cors.js'
import { limits } from '../platform/limits/limits.js'
import { endOrdinaryRequest } from '../platform/limits/ordinary-requests.js'
import { createLogger } from '../platform/log/logger.js'
import { createMetrics } from '../platform/metrics.js'
import { buildServer, type ServerOptions } from './server.js'

const LIMIT_MS = 60

async function serve(routes: ServerOptions['routes'][number], options: Partial<ServerOptions> = {}) {
  const lines: { level: number; msg: string }[] = []
  const app = await buildServer({
    log: createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }),
    metrics: createMetrics(),
    trustProxy: false,
    requestTimeoutMs: LIMIT_MS,
    routes: [routes],
    ...options,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, lines }
}

/** Work that ends when it is told to. */
function openEnd<Result>() {
  let resolve: (result: Result) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const work = new Promise<Result>((...settle) => {
    ;[resolve, reject] = settle
  })
  work.catch(() => {})
  return { work, resolve, reject }
}

it('a handler that does not answer: 503 with Retry-After, and what it answers or fails with later is for nobody', async () => {
  const [answering, failing] = [openEnd<string>(), openEnd<string>()]
  const { url, lines } = await serve((app) => {
    app.get('/answers', async (_request, reply) => reply.header('x-late', '1').send(await answering.work))
    app.get('/fails', () => failing.work)
    app.get('/quick', async () => 'quick')
  })
  for (const path of ['/answers', '/fails']) {
    const reply = await fetch(url + path)
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await reply.json()).toEqual({ code: 'unavailable', message: expect.stringContaining('in time') })
  }
  answering.resolve('late')
  failing.reject(new Error('late'))
  expect(await (await fetch(`${url}/quick`)).text()).toBe('quick')
  // Two refusals, each with the line of its request, and nothing of what came later.
  expect(lines.slice(1).map(({ msg }) => msg)).toEqual([
    'request refused',
    'request',
    'request refused',
    'request',
  ])
})

it('a hook that hangs before the handler: 503', async () => {
  const { url } = await serve((app) => {
    app.addHook('onRequest', () => new Promise<void>(() => {}))
    app.get('/', async () => 'never')
  })
  expect((await fetch(url)).status).toBe(503)
})

it('a route that declares a longer wait has it', async () => {
  const end = openEnd<string>()
  const longWait = { limitMs: 60_000, reason: 'the test' }
  const { url } = await serve((app) => {
    app.get('/long', { config: { longWait } }, () => end.work)
    app.get('/short', () => end.work)
  })
  const long = fetch(`${url}/long`)
  expect((await fetch(`${url}/short`)).status).toBe(503)
  end.resolve('done')
  expect(await (await long).text()).toBe('done')
})

it('a stream that has begun goes on beyond the deadline', async () => {
  const { url } = await serve((app) => {
    app.get('/stream', (request, reply) => {
      endOrdinaryRequest(request)
      reply.hijack()
      reply.raw.writeHead(200)
      reply.raw.write('first ')
    })
    app.get('/end', () => new Promise<never>(() => {}))
  })
  const stream = await fetch(`${url}/stream`)
  const reader = stream.body!.getReader()
  expect(Buffer.from((await reader.read()).value!).toString()).toBe('first ')
  // Its deadline was before that of this one.
  expect((await fetch(`${url}/end`)).status).toBe(503)
  const next = reader.read()
  expect(await Promise.race([next.then(() => 'ended'), fetch(`${url}/nowhere`).then(() => 'open')])).toBe(
    'open',
  )
  await reader.cancel()
})

it('a body that arrives slowly does not count; what the handler then does counts', async () => {
  const { url, port } = await serve((app) => {
    app.post('/echo', async ({ body }) => body)
    app.post('/never', () => new Promise<never>(() => {}))
    app.get('/wait', () => new Promise<never>(() => {}))
  })
  const send = (path: string) => {
    const headers = { 'content-type': 'application/json', 'content-length': 2 }
    const request = startRequest({ port, host: '127.0.0.1', method: 'POST', path, headers })
    request.write('{')
    return request
  }
  const requests = [send('/echo'), send('/never')]
  // Longer than the deadline of all three.
  expect((await fetch(`${url}/wait`)).status).toBe(503)
  expect((await fetch(`${url}/wait`)).status).toBe(503)
  const statuses = requests.map(async (request) => {
    request.end('}')
    const [response] = await once(request, 'response')
    response.resume()
    return response.statusCode
  })
  expect(await Promise.all(statuses)).toEqual([200, 503])
})

it('more requests than may wait: 503 at once, but not for those of the operator', async () => {
  const end = openEnd<string>()
  const full = openEnd<void>()
  let waiting = 0
  const { url } = await serve(
    (app) => {
      app.get('/wait', async () => {
        waiting += 1
        if (waiting === 3) full.resolve()
        return await end.work
      })
      app.get('/vital', { config: { isVital: true } }, async () => 'well')
      app.register(async (scope) => answerPreflights(scope, 'GET', 'x-api-key'), { prefix: '/v2' })
    },
    { requestTimeoutMs: 60_000, maxPendingRequests: 3 },
  )
  const admitted = [1, 2, 3].map(async () => (await fetch(`${url}/wait`)).status)
  await full.work
  const refused = await fetch(`${url}/wait`)
  expect(refused.status).toBe(503)
  expect(await refused.json()).toMatchObject({ message: limits.pendingRequests.refusal })
  expect((await fetch(`${url}/vital`)).status).toBe(200)
  // A page in a browser sees the refusal and when to try again, not a failure of the network.
  const preflight = await fetch(`${url}/v2/wait`, { method: 'OPTIONS' })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
  const { status, headers } = await fetch(`${url}/v2/wait`)
  expect([status, headers.get('access-control-allow-origin'), headers.get('retry-after')]).toEqual([
    503,
    '*',
    '1',
  ])
  expect(headers.get('access-control-expose-headers')).toContain('retry-after')
  end.resolve('done')
  expect(await Promise.all(admitted)).toEqual([200, 200, 200])
  expect((await fetch(`${url}/wait`)).status).toBe(200)
})
