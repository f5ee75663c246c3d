import { type AddressInfo, connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { PlazaError } from '../platform/errors.js'
import { createLogger } from '../platform/log/logger.js'
import { createMetrics } from '../platform/metrics.js'
import { buildServer } from './server.js'

/** @param arrivalMs The time in which a request must have arrived: a busy machine needs a second for a whole one. */
async function serve(arrivalMs = 1_000) {
  const lines: Record<string, unknown>[] = []
  const app = await buildServer({
    log: createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }),
    metrics: createMetrics(),
    trustProxy: false,
    requestTimeoutMs: 30_000,
    arrival: { headersMs: arrivalMs, requestMs: arrivalMs, checkMs: 20 },
    routes: [
      (scope) => {
        scope.addHook('onRequest', async ({ headers }) => {
          if (headers.authorization === 'wrong') throw new PlazaError('unauthenticated', 'no')
        })
        for (const path of ['/v1/echo', '/v2/echo']) scope.post(path, async ({ body }) => body)
        scope.get('/quick', async () => 'quick')
      },
    ],
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { port, lines }
}

/** Sends bytes, and returns all that comes until the server closes. */
function talk(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('end', () => resolve(text))
  })
}

const bodyOf = (text: string) => JSON.parse(text.split('\r\n\r\n')[1]!)
const half = (path: string) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`

it.each([
  ['headers', 'GET /v2/echo HTTP/1.1\r\nhost: a\r\n', { code: 'RequestTimeout', status: 408 }],
  ['a body for the main API', half('/v2/echo'), { code: 'RequestTimeout', status: 408 }],
  ['a body for the hub', half('/v1/echo'), { errCode: 'bad_request.invalid_param', name: 'HubError' }],
])(
  'too late: %s -> 408 in the form of the API, with the request id of the log',
  async (what, bytes, body) => {
    const { port, lines } = await serve()
    const text = await talk(port, bytes)
    expect(text).toMatch(/^HTTP\/1\.1 408 /)
    expect(text).toMatch(/^connection: close/m)
    expect(text).toMatch(/^cache-control: no-store/m)
    if (what !== 'headers') expect(text).toMatch(/^access-control-allow-origin: \*/m)
    expect(bodyOf(text)).toMatchObject(body)
    const refused = lines.find(({ status }) => status === 408)
    expect(text).toContain(`x-request-id: ${refused?.reqId}`)
  },
)

it('a request that was answered before its body came, which never comes: the connection ends without another answer', async () => {
  const { port } = await serve()
  const text = await talk(port, half('/v2/echo').replace('host: a', 'host: a\r\nauthorization: wrong'))
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['401'])
})

it('bytes that are no request behind one that is: the request has its answer, which is the last', async () => {
  const { port } = await serve(60_000)
  const text = await talk(port, 'GET /quick HTTP/1.1\r\nhost: a\r\n\r\nno request\r\n\r\n')
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*quick$/)
  expect(text).toMatch(/^connection: close/im)
})

it('an expectation that is unknown: the request is answered as without it', async () => {
  const { port } = await serve(60_000)
  const text = await talk(
    port,
    'GET /quick HTTP/1.1\r\nhost: a\r\nexpect: magic\r\nconnection: close\r\n\r\n',
  )
  expect(text).toMatch(/^HTTP\/1\.1 200 [\s\S]*quick$/)
})
