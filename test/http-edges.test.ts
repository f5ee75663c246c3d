import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from './database.js'
import { startTestServer } from './running-server.js'

const { url } = await createTestDatabase()
const KEY = 'a-key-for-the-test'
const server = await startTestServer(url, { REQUEST_TIMEOUT_MS: '30000' }, afterAll)
const { port } = new URL(server.urls.main)

interface Exchange {
  /** All that the server sent before it closed, or before the client had what it waits for. */
  readonly text: string
  readonly error: string | null
}

/**
 * Writes bytes to the server and reads until it closes, or until the text matches. Writes everything before it reads
 * anything, as a client does that does not expect an answer before its end.
 */
async function exchange(parts: readonly (string | Buffer)[], until?: RegExp): Promise<Exchange> {
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  let text = ''
  let error: string | null = null
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (until?.test(text)) resolve()
    })
    socket.on('error', (failure: Error & { code?: string }) => {
      error = failure.code ?? failure.message
      resolve()
    })
    socket.on('end', () => resolve())
  })
  socket.pause()
  for (const part of parts) {
    const flushed = new Promise((resolve) => socket.write(part, resolve))
    // What the server does not read stays in this process: the client goes on as one with a timeout does.
    await Promise.race([flushed, sleep(500)])
  }
  socket.resume()
  await done
  socket.destroy()
  return { text, error }
}

/**
 * The same with megabytes. The server reads on for a bounded time only after it has refused, so on a busy machine it
 * may end the connection before the client has written everything: then it is sent again.
 */
async function exchangeLarge(parts: readonly (string | Buffer)[]): Promise<Exchange> {
  let last = await exchange(parts)
  for (let attempt = 1; last.error !== null && attempt < 5; attempt += 1) last = await exchange(parts)
  return last
}

function parse({ text, error }: Exchange) {
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim()
  return { status, header, body: body === '' ? null : JSON.parse(body), error, text }
}

const request = (line: string, headers: readonly string[] = ['host: a']) =>
  `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`

const statusesOf = ({ text }: Exchange) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

it.each([
  [
    '431',
    request('GET /v2/farcaster/user/bulk', ['host: a', `x-long: ${'x'.repeat(40_000)}`]),
    431,
    'HeadersTooLarge',
  ],
  ['400', 'GET /v2/farcaster/user/bulk HTTP/1.1\r\nhost a\r\n\r\n', 400, 'MalformedRequest'],
  ['400 for no HTTP', '\u0016\u0003\u0001 hello\r\n\r\n', 400, 'MalformedRequest'],
])(
  'what is no request: %s has the shape of the main API, a request id, and ends the connection',
  async (_, bytes, status, code) => {
    const reply = parse(await exchange([bytes]))
    expect(reply.status).toBe(status)
    expect(reply.body).toEqual({ message: expect.any(String), code, status })
    expect(reply.header('connection')).toBe('close')
    expect(reply.header('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(reply.error).toBeNull()
  },
)

it('what is no request of the hub: has the shape of the hub', async () => {
  const reply = parse(await exchange([request('GET /v1/info', ['host: a', `x: ${'x'.repeat(40_000)}`])]))
  expect(reply.status).toBe(431)
  expect(reply.body).toMatchObject({ errCode: 'bad_request.too_large', name: 'HubError' })
  expect(
    parse(await exchange([request('GET /v1/farcaster/user', [`x: ${'x'.repeat(40_000)}`])])).body,
  ).toMatchObject({
    code: 'HeadersTooLarge',
  })
})

it('350 addresses, each with an encoded key of its own, are read', async () => {
  const addresses = Array.from({ length: 350 }, (_, index) => `0x${String(index).padStart(40, '0')}`)
  const target = `/v2/farcaster/user/bulk-by-address?${addresses.map((address) => `addresses%5B%5D=${address}`).join('&')}`
  const headers = ['host: a', `x-api-key: ${KEY}`, 'connection: close']
  const reply = parse(await exchange([request(`GET ${target}`, headers)]))
  expect([reply.status, reply.body, reply.error]).toEqual([200, {}, null])
})

it('headers far beyond the limit: the client that writes all of them first still reads the answer', async () => {
  const long = Array.from({ length: 200 }, (_, index) => `x-${index}: ${'x'.repeat(10_000)}`)
  const reply = parse(await exchangeLarge([request('GET /v2/farcaster/user/bulk', ['host: a', ...long])]))
  expect([reply.status, reply.error]).toEqual([431, null])
})

it.each([
  ['no Host', [], 'the header Host is missing'],
  ['two Hosts', ['host: a', 'Host: a'], 'the header Host is there 2 times'],
])('%s: 400 that names it, in the shape of the API', async (_, hosts, message) => {
  const main = parse(
    await exchange([request('GET /v2/farcaster/user/bulk?fids=1', [...hosts, `x-api-key: ${KEY}`])]),
  )
  expect(main.status).toBe(400)
  expect(main.body).toMatchObject({ message, code: 'InvalidField', property: 'host', status: 400 })
  expect(main.header('connection')).toBe('close')
  const hub = parse(await exchange([request('GET /v1/info', hosts)]))
  expect(hub.status).toBe(400)
  expect(hub.body).toMatchObject({ errCode: 'bad_request.invalid_param', property: 'host', details: message })
})

it('HTTP/1.0 needs no Host', async () => {
  const reply = parse(await exchange(['GET /healthz HTTP/1.0\r\n\r\n']))
  expect(reply.status).toBe(200)
})

it.each([
  ['413, announced', ['content-length: 8000000']],
  ['413, found out', ['transfer-encoding: chunked']],
  ['413, packed', ['content-length: 8000000', 'content-encoding: gzip']],
  ['401', ['content-length: 8000000', 'x-api-key: wrong']],
])(
  'a body of 8 MB that is refused (%s): the client that writes all of it first still reads the answer',
  async (what, headers) => {
    const chunked = headers.includes('transfer-encoding: chunked')
    const chunk = Buffer.alloc(1_000_000, 'x')
    const framed = chunked ? Buffer.concat([Buffer.from('f4240\r\n'), chunk, Buffer.from('\r\n')]) : chunk
    const head = ['host: a', 'content-type: application/json', ...headers]
    const withKey = what === '401' ? head : [...head, `x-api-key: ${KEY}`]
    const reply = parse(
      await exchangeLarge([
        request('POST /v2/farcaster/cast', withKey),
        ...Array.from({ length: 8 }, () => framed),
      ]),
    )
    expect([reply.status, reply.error]).toEqual([what === '401' ? 401 : 413, null])
    expect(reply.header('connection')).toBe('close')
  },
)

it('a body of 8 MB for the hub that cannot be unpacked, from anybody: 413, and the server lives', async () => {
  const headers = [
    'host: a',
    'content-type: application/octet-stream',
    'content-length: 8000000',
    'content-encoding: gzip',
  ]
  const body = Array.from({ length: 8 }, () => Buffer.alloc(1_000_000, 'x'))
  const reply = parse(await exchangeLarge([request('POST /v1/submitMessage', headers), ...body]))
  expect([reply.status, reply.error]).toEqual([413, null])
  expect(parse(await exchange(['GET /healthz HTTP/1.0\r\n\r\n'])).status).toBe(200)
})

it('a small body that is refused unread: the same connection answers the next request', async () => {
  const first = request('POST /v2/farcaster/cast', ['host: a', 'content-length: 100000', 'x-api-key: wrong'])
  const exchanged = await exchange(
    [first, Buffer.alloc(100_000, 'x'), request('GET /healthz')],
    /"status":"ok"/,
  )
  expect(statusesOf(exchanged)).toEqual([401, 200])
  expect(exchanged.error).toBeNull()
})

it('a request behind one whose answer ends the connection: is not answered', async () => {
  const bad = request('POST /v2/farcaster/cast', ['host: a', 'host: b', 'content-length: 0'])
  expect(statusesOf(await exchange([bad, request('GET /healthz')]))).toEqual([400])
})
