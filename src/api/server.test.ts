import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { observeEventLag } from '../hub/log/log-metrics.js'
import { sendFailure } from '../hub/methods/http/errors.js'
import { PlazaError } from '../platform/errors.js'
import { ErrorJournal } from '../platform/log/error-journal.js'
import { LogFeed } from '../platform/log/log-feed.js'
import { createLogger } from '../platform/log/logger.js'
import { createMetrics } from '../platform/metrics.js'
import type { SpanAttributes } from '../platform/tracing/active-span.js'
import type { Tracing } from '../platform/tracing/tracing.js'
import { type Readiness, registerHealth } from './health.js'
import { registerMetrics } from './register-metrics.js'
import { buildServer, type ServerOptions } from './server.js'

const readyState: Readiness = {
  database: 'ok',
  migrations: 'applied',
  eventLag: 0,
  roles: { api: 1, worker: 1 },
}

async function build(
  routes: (app: FastifyInstance) => void = () => {},
  readiness = async () => readyState,
  options: Partial<ServerOptions> = {},
) {
  const lines: string[] = []
  const log = createLogger('debug', { write: (line: string) => lines.push(line) })
  const metrics = createMetrics()
  const health = (scope: FastifyInstance) => {
    registerHealth(scope, {
      readReadiness: readiness,
      readShortages: async () => [],
      requestTimeoutMs: 30_000,
    })
    registerMetrics(scope, metrics, 30_000)
  }
  const errors = new ErrorJournal(() => 0)
  const app = await buildServer({
    log,
    metrics,
    errors,
    trustProxy: false,
    requestTimeoutMs: 30_000,
    routes: [health, routes],
    ...options,
  })
  return { app, metrics, lines, errors }
}

describe('errors', () => {
  it('a failure of the hub API is in the journal of errors with its message, as one of the main API', async () => {
    const fail = () => {
      throw new Error('relation "casts" does not exist')
    }
    const { app, errors } = await build((scope) => {
      scope.get('/v2/broken', fail)
      scope.register(async (hub) => {
        hub.setErrorHandler(sendFailure)
        hub.get('/v1/broken', fail)
      })
    })
    for (const url of ['/v2/broken', '/v1/broken']) expect((await app.inject(url)).statusCode).toBe(500)
    expect(errors.read().recent).toMatchObject([
      { kind: 'GET /v1/broken replied 500', message: 'relation "casts" does not exist' },
      { kind: 'GET /v2/broken replied 500', message: 'relation "casts" does not exist' },
    ])
  })

  it('a refusal -> the status of its code, and property', async () => {
    const { app } = await build((scope) => {
      scope.get('/refused', () => {
        throw new PlazaError('bad_request.invalid_param', 'limit is too large', { property: 'limit' })
      })
    })
    const response = await app.inject('/refused')
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({
      code: 'bad_request.invalid_param',
      message: 'limit is too large',
      property: 'limit',
    })
  })

  it('an internal error -> only the request id; the log has the stack', async () => {
    const { app, lines } = await build((scope) => {
      scope.get('/broken', () => {
        throw new Error('the secret reason')
      })
    })
    const response = await app.inject('/broken')
    expect(response.statusCode).toBe(500)
    expect(response.body).not.toContain('secret')
    const id = response.headers['x-request-id']
    expect(response.json().message).toContain(id)
    const logged = lines.map((line) => JSON.parse(line)).find((line) => line.err)
    expect(logged).toMatchObject({ reqId: id, err: { message: 'the secret reason' } })
    expect(logged.err.stack).toContain('server.test.ts')
  })

  it.each([
    ['not_implemented', 501, 'the hosted service alone computes it'],
    ['unavailable.other_side', 502, 'the endpoint answered with 429'],
    ['unavailable', 503, 'too many requests wait'],
  ] as const)('%s -> the line of the request has the reason', async (code, status, reason) => {
    const { app, lines } = await build((scope) => {
      scope.get('/failing', () => {
        throw new PlazaError(code, reason)
      })
    })
    expect((await app.inject('/failing')).statusCode).toBe(status)
    const logged = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'request')
    expect(logged).toMatchObject({ route: '/failing', status, reason })
  })

  it('a 501 is a refusal: a warning, and no failure of the server', async () => {
    const feed = new LogFeed(() => 0)
    const addRoutes = (scope: FastifyInstance) =>
      void scope.get('/unserved', () => {
        throw new PlazaError('not_configured', 'set CHAIN_BASE_RPC_URLS')
      })
    const { app, errors, lines } = await build(addRoutes, undefined, { feed })
    for (let n = 0; n < 30; n += 1) await app.inject('/unserved')
    expect(errors.read().recent).toEqual([])
    expect(feed.since(0, 1)).toMatchObject([{ level: 'warn', fields: { status: 501 } }])
    expect(lines.filter((line) => JSON.parse(line).msg === 'request')).toHaveLength(20)
  })

  it('the reason of a failure is logged without secrets, that of a refusal not at all', async () => {
    const { app, lines } = await build((scope) => {
      const cause = new Error('POST https://user:hunter2@rpc.example/?key=hunter2 failed')
      scope.get('/failing', () => {
        throw new PlazaError('unavailable.other_side', 'the chain does not answer', { cause })
      })
      scope.get('/refused', () => {
        throw new PlazaError('forbidden', 'not yours')
      })
    })
    for (const url of ['/failing', '/refused']) await app.inject(url)
    const reasons = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    expect(reasons.map(({ reason }) => reason)).toEqual(['POST https://rpc.example/… failed', undefined])
  })

  it('an unreachable database -> 503 with Retry-After', async () => {
    const { app } = await build((scope) => {
      scope.get('/away', () => {
        throw Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
      })
    })
    const response = await app.inject('/away')
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
    expect(response.body).not.toContain('127.0.0.1')
  })

  it.each([
    ['no JSON', { 'content-type': 'application/json' }, '{', 400],
    ['an unknown media type', { 'content-type': 'text/strange' }, 'x', 400],
    ['too large', { 'content-type': 'application/json' }, JSON.stringify('x'.repeat(2 ** 20)), 413],
  ])('answers a body that is %s as a mistake of the client', async (_what, headers, payload, status) => {
    const { app } = await build((scope) => {
      scope.post('/echo', (request) => request.body)
    })
    const response = await app.inject({ method: 'POST', url: '/echo', headers, payload })
    expect(response.statusCode).toBe(status)
    expect(response.json().code).toMatch(/^bad_request/)
  })

  it('an unknown route -> its path without the query', async () => {
    const { app } = await build()
    const response = await app.inject('/nowhere?token=secret')
    expect(response.statusCode).toBe(404)
    expect(response.json()).toEqual({ code: 'not_found', message: 'no route GET /nowhere' })
  })

  it('a path that cannot be decoded -> 400', async () => {
    const { app } = await build()
    const response = await app.inject('/healthz/%zz')
    expect(response.statusCode).toBe(400)
    expect(response.json()).toEqual({
      code: 'bad_request.invalid_param',
      message: 'the path cannot be decoded: each % must be followed by two hex digits that form UTF-8',
    })
    for (const url of ['/v2/social/%zz', '/v1/farcaster/%zz'])
      expect((await app.inject(url)).json()).toMatchObject({ code: 'InvalidField', status: 400 })
    expect((await app.inject('/v1/casts/%zz')).json()).toMatchObject({
      error: 'Failed to handle request',
      errCode: 'bad_request.invalid_param',
      name: 'HubError',
    })
  })

  it('a path that cannot be decoded: the reply has a request id, and no cache keeps it', async () => {
    const { app } = await build()
    for (const url of ['/v1/%zz', '/v2/social/%zz', '/healthz/%zz']) {
      const { headers } = await app.inject({ url, headers: { 'x-request-id': 'edge-7:42' } })
      expect([url, headers['x-request-id'], headers['cache-control']]).toEqual([url, 'edge-7:42', 'no-store'])
    }
  })

  it('a query that cannot be decoded -> 400 in the form of the API', async () => {
    const { app } = await build((scope) => {
      scope.get('/v2/search', ({ query }) => query)
    })
    const message = 'the query cannot be decoded: each % must be followed by two hex digits that form UTF-8'
    for (const query of ['q=caf%E9', 'q=100%', 'q=%zz', 'q=%C3&r=%A9', '%E9=1']) {
      const reply = await app.inject(`/v2/search?${query}`)
      expect([query, reply.statusCode, reply.json().message]).toEqual([query, 400, message])
      expect(reply.headers['access-control-allow-origin']).toBe('*')
    }
    expect((await app.inject('/v2/search?q=caf%C3%A9+%25')).json()).toEqual({ q: 'café %' })
  })

  it('a refusal before a route is chosen: any page may read it on the paths of the APIs, and on no other', async () => {
    const { app } = await build()
    const originsOf = async (path: string) => {
      const origins = []
      for (const url of [`${path}/%zz`, `${path}/%00`])
        origins.push((await app.inject(url)).headers['access-control-allow-origin'])
      return origins
    }
    expect(await originsOf('/v1')).toEqual(['*', '*'])
    expect(await originsOf('/v2/social')).toEqual(['*', '*'])
    expect(await originsOf('/admin')).toEqual([undefined, undefined])
  })

  it('a path with U+0000, which no stored text can hold -> 400', async () => {
    const { app } = await build((scope) => {
      scope.get('/page/:token', () => {
        throw new Error('it was looked up')
      })
    })
    const reply = await app.inject('/page/a%00b?q=1')
    expect([reply.statusCode, reply.json().code]).toEqual([400, 'bad_request.invalid_param'])
    expect((await app.inject('/page/a?q=%00')).statusCode).toBe(500)
  })

  it('a plugin keeps the shape of its errors', async () => {
    const { app } = await build((scope) => {
      scope.setErrorHandler((_error, _request, reply) => reply.status(418).send({ errCode: 'own' }))
      scope.get('/own', () => {
        throw new Error('x')
      })
    })
    expect((await app.inject('/own')).json()).toEqual({ errCode: 'own' })
  })
})

it('no browser guesses the type of a reply', async () => {
  const { app } = await build((scope) => {
    scope.get('/failing', () => {
      throw new Error('x')
    })
  })
  for (const url of ['/healthz', '/readyz', '/metrics', '/nowhere', '/failing', '/healthz/%zz']) {
    expect([url, (await app.inject(url)).headers['x-content-type-options']]).toEqual([url, 'nosniff'])
  }
})

describe('request ids', () => {
  it('keeps a valid id of a proxy, else creates one', async () => {
    const { app } = await build()
    const requestIdOf = async (id: string) =>
      (await app.inject({ url: '/healthz', headers: { 'x-request-id': id } })).headers['x-request-id']
    expect(await requestIdOf('edge-7:42')).toBe('edge-7:42')
    expect(await requestIdOf('a b')).toMatch(/^[0-9a-f-]{36}$/)
    expect(await requestIdOf('x'.repeat(65))).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('operation', () => {
  it('is healthy while the process replies', async () => {
    const { app } = await build(undefined, async () => ({ ...readyState, database: 'away' }))
    expect((await app.inject('/healthz')).json()).toEqual({ status: 'ok' })
  })

  it.each<[string, Partial<Readiness>]>([
    ['the database is away', { database: 'away' }],
    ['migrations are pending', { migrations: 'pending' }],
    ['the event log is far behind', { eventLag: 20_000 }],
  ])('is not ready while %s', async (_what, found) => {
    const { app } = await build(undefined, async () => ({ ...readyState, ...found }))
    const response = await app.inject('/readyz')
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '1'])
    expect(response.json()).toEqual({
      status: 'not ready',
      ...readyState,
      missingRoles: [],
      shortages: [],
      ...found,
    })
  })

  it('all checks pass -> ready', async () => {
    const { app } = await build()
    expect((await app.inject('/readyz')).json()).toEqual({
      status: 'ready',
      ...readyState,
      missingRoles: [],
      shortages: [],
    })
  })

  it('is ready while a newer version has migrated the database', async () => {
    const { app } = await build(undefined, async () => ({ ...readyState, migrations: 'newer' as const }))
    expect((await app.inject('/readyz')).json()).toMatchObject({ status: 'ready', migrations: 'newer' })
  })

  it('is ready and names the roles that no process has', async () => {
    const roles = { api: 1, worker: 0, sync: 0 }
    const { app } = await build(undefined, async () => ({ ...readyState, roles }))
    const { statusCode, body } = await app.inject('/readyz')
    expect([statusCode, JSON.parse(body).missingRoles]).toEqual([200, ['worker', 'sync']])
  })

  it('a hanging check -> not ready', async () => {
    const { app } = await build(undefined, () => new Promise(() => {}))
    expect((await app.inject('/readyz')).statusCode).toBe(503)
  })

  it('counts requests by route, and serves the metrics', async () => {
    const { app, metrics } = await build((scope) => {
      scope.get('/casts/:hash', () => 'ok')
    })
    observeEventLag(metrics, () => 7)
    metrics.merges.inc({ type: 'CAST_ADD', outcome: 'merged' }, 3)
    for (const hash of ['a', 'b']) await app.inject(`/casts/${hash}`)
    await app.inject('/nowhere')
    const { body, headers } = await app.inject('/metrics')
    expect(headers['content-type']).toContain('text/plain')
    expect(body).toContain('{method="GET",route="/casts/:hash",status="200"} 2')
    expect(body).toContain('{method="GET",route="unmatched",status="404"} 1')
    expect(body).toContain('plaza_event_lag_messages 7')
    expect(body).toContain('plaza_merges_total{type="CAST_ADD",outcome="merged"} 3')
    expect(body).toContain('nodejs_eventloop_lag_seconds')
  })
})

describe('requests whose client leaves before the answer', () => {
  async function leave(path: string, isDue: () => boolean) {
    const feed = new LogFeed(() => 0)
    const spans: unknown[] = []
    const span = {
      set: (attributes: SpanAttributes) => spans.push(attributes['http.response.status_code']),
      fail: () => {},
      end: () => {},
    }
    const tracing = { isOn: true, start: () => span } as unknown as Tracing
    let noteCall = () => {}
    const called = new Promise<void>((resolve) => {
      noteCall = resolve
    })
    const { app, metrics, lines, errors } = await build(
      (scope) => {
        scope.get('/slow', async (request) => {
          if (isDue()) request.deadline!.untilMs = 0
          noteCall()
          return await new Promise<string>(() => {})
        })
        scope.get('/stream', (_request, reply) => {
          reply.hijack()
          reply.raw.writeHead(200).write('first')
          noteCall()
        })
      },
      undefined,
      { feed, tracing },
    )
    await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => app.close())
    const closed = new Promise((resolve) =>
      app.server.once('connection', (each) => each.once('close', resolve)),
    )
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    await called
    socket.destroy()
    await closed
    const counts = (await metrics.requests.get()).values.filter(({ metricName }) =>
      metricName?.endsWith('_count'),
    )
    const requestLines = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request')
    return {
      counts: counts.map(({ labels, value }) => [labels.route, labels.status, value]),
      lines: requestLines.map(({ route, status }) => [route, status]),
      feed: feed.since(0, 10).map(({ level, fields }) => [level, fields.status]),
      failures: errors.read().recent.map(({ kind }) => kind),
      spans,
    }
  }

  it('are measured and logged with 499, which is no failure of the server', async () => {
    expect(await leave('/slow', () => false)).toEqual({
      counts: [['/slow', 499, 1]],
      lines: [['/slow', 499]],
      feed: [['warn', 499]],
      failures: [],
      spans: [499],
    })
  })

  it('with 503 once their time is over', async () => {
    expect(await leave('/slow', () => true)).toEqual({
      counts: [['/slow', 503, 1]],
      lines: [['/slow', 503]],
      feed: [['error', 503]],
      failures: ['GET /slow replied 503'],
      spans: [503],
    })
  })

  it('a stream whose reader leaves is none of them', async () => {
    expect(await leave('/stream', () => false)).toEqual({
      counts: [],
      lines: [],
      feed: [],
      failures: [],
      spans: [200],
    })
  })
})

describe('replies that are not taken', () => {
  const large = Buffer.alloc(64 * 1024 * 1024)
  /** A server whose clients have 50 ms to take a reply, and what a client sends to it. */
  async function serve(routes: (app: FastifyInstance) => void) {
    let noteCut = () => {}
    const cut = new Promise<void>((resolve) => {
      noteCut = resolve
    })
    const addRoutes = (scope: FastifyInstance) => {
      routes(scope)
      scope.get('/large', async ({ raw }) => {
        raw.socket.once('close', noteCut)
        return large
      })
    }
    const { app } = await build(addRoutes, undefined, { sendingTimeoutMs: 50 })
    await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(() => app.close())
    const { port } = app.server.address() as AddressInfo
    const send = (socket: Socket, ...paths: string[]) =>
      socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`).join(''))
    const open = (...paths: string[]) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      onTestFinished(() => void socket.destroy())
      send(socket, ...paths)
      return socket
    }
    /** Asks for a reply of 64 MB, and waits until the server has closed the connection. */
    async function waitUntilCut(): Promise<void> {
      open('/large')
      await cut
    }
    return { open, send, waitUntilCut }
  }

  it('the connection is closed, and one whose reply was taken stays open', async () => {
    const { open, send, waitUntilCut } = await serve(() => {})
    const kept = open('/healthz')
    await once(kept, 'data')
    await waitUntilCut()
    send(kept, '/healthz')
    expect(String((await once(kept, 'data'))[0])).toContain('HTTP/1.1 200')
  })

  it('a reply that waits for that of an earlier request is not cut', async () => {
    let answer: (text: string) => void = () => {}
    const first = new Promise<string>((resolve) => {
      answer = resolve
    })
    const { open, waitUntilCut } = await serve((app) => {
      app.get('/first', () => first)
      app.get('/second', async () => 'two')
    })
    const socket = open('/first', '/second')
    await waitUntilCut()
    answer('one')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    await expect.poll(() => received).toMatch(/one[\s\S]*two$/)
  })
})
