import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { LongReply } from '../platform/http/long-reply.js'
import { createLogger } from '../platform/log/logger.js'
import { createMetrics } from '../platform/metrics.js'
import { preferredEncoding } from './http-encoding.js'
import { acceptJson } from './json-bodies.js'
import { buildServer } from './server.js'

const page = JSON.stringify({ casts: Array.from({ length: 300 }, (_, n) => ({ n, text: `seed ${n} 🌱` })) })
const longPage = JSON.stringify('🌱 seeds '.repeat(30_000))
const all = { compressReplies: true, etags: true, compressedRequests: true }

const start = async (encoding: typeof all) =>
  await buildServer({
    log: createLogger('silent'),
    metrics: createMetrics(),
    trustProxy: false,
    requestTimeoutMs: 30_000,
    encoding,
    routes: [
      (app) => {
        acceptJson(app)
        for (const [url, body] of Object.entries({ '/page': page, '/long': longPage, '/short': '{"a":1}' })) {
          app.get(url, async (_request, reply) => reply.type('application/json; charset=utf-8').send(body))
        }
        app.get('/picture', async (_request, reply) => reply.type('image/png').send(Buffer.alloc(5_000)))
        app.post('/echo', async (incoming) => incoming.body)
        for (const url of ['/v1/page', '/v2/page']) app.get(url, async () => ({ casts: [] }))
        app.get('/v2/parts', async (_request, reply) =>
          reply.type('application/json').send(new LongReply([Buffer.from('[]')])),
        )
        app.get('/v2/gone', async (_request, reply) => reply.status(410).send({}))
        app.get('/v1/broken', async () => {
          throw new Error('broken')
        })
        app.get('/v2/public', async (_request, reply) =>
          reply.header('cache-control', 'public, max-age=60').send({}),
        )
      },
      (app) => {
        // As the hub's API: other content types are refused before the body is read.
        app.removeAllContentTypeParsers()
        app.addContentTypeParser(
          'application/octet-stream',
          { parseAs: 'buffer' },
          (_request, body, done) => {
            done(null, body)
          },
        )
        app.post('/bytes', async () => ({}))
      },
    ],
  })
const app = await start(all)
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

afterAll(() => app.close())

describe('compression of replies', () => {
  it.each([
    ['br', 'gzip, deflate, br', zlib.brotliDecompressSync],
    ['gzip', 'gzip', zlib.gunzipSync],
    ['gzip', 'br;q=0.2, gzip;q=0.9', zlib.gunzipSync],
    ['br', '*', zlib.brotliDecompressSync],
  ])('%s for %s, to the same bytes', async (encoding, accepted, decode) => {
    for (const [url, body] of [
      ['/page', page],
      ['/long', longPage],
    ] as const) {
      const reply = await get(url, { 'accept-encoding': accepted })
      expect(reply.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
      expect(Number(reply.headers['content-length'])).toBe(reply.rawPayload.length)
      expect(reply.rawPayload.length).toBeLessThan(body.length / 3)
      expect(decode(reply.rawPayload).toString()).toBe(body)
    }
  })

  it.each([{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': 'br;q=0, gzip;q=0' }])(
    'none for %j',
    async (headers) => {
      const reply = await get('/page', headers as Record<string, string>)
      expect([reply.headers['content-encoding'], reply.body]).toEqual([undefined, page])
    },
  )

  it('short replies and pictures go as they are', async () => {
    for (const url of ['/short', '/picture']) {
      expect((await get(url, { 'accept-encoding': 'br' })).headers).not.toHaveProperty('content-encoding')
    }
  })

  it('chooses among what is accepted, whatever the header says', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 40 }), (header) => {
        const chosen = preferredEncoding(header)
        if (chosen !== null) expect(header.toLowerCase()).toMatch(/br|gzip|\*/)
      }),
    )
  })
})

describe('entity tags', () => {
  it('a client that has the reply already gets 304 without a body', async () => {
    const { headers } = await get('/page')
    expect(headers).toMatchObject({
      etag: expect.stringMatching(/^W\/"/),
      'cache-control': 'private, no-cache',
    })
    for (const known of [headers.etag!, `"x", ${headers.etag}`, String(headers.etag).slice(2), '*']) {
      const again = await get('/page', { 'if-none-match': String(known), 'accept-encoding': 'br' })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', headers.etag])
      for (const name of ['content-type', 'content-length']) expect(again.headers).not.toHaveProperty(name)
    }
    expect((await get('/page', { 'if-none-match': 'W/"other"' })).statusCode).toBe(200)
    expect((await get('/long')).headers.etag).not.toBe(headers.etag)
  })

  it('no tag on errors', async () => {
    expect((await get('/nowhere')).headers).not.toHaveProperty('etag')
  })
})

describe('Cache-Control', () => {
  it.each([true, false])('replies of the APIs are for no shared cache, with ETAGS=%s', async (etags) => {
    const server = await start({ ...all, etags })
    const cacheControlOf = async (url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
      (await server.inject({ method, url, headers: { 'accept-encoding': 'br' } })).headers['cache-control']
    for (const url of ['/v1/page', '/v2/page', '/v2/parts']) {
      expect([url, await cacheControlOf(url)]).toEqual([url, 'private, no-cache'])
      expect([url, await cacheControlOf(url, 'HEAD')]).toEqual([url, 'private, no-cache'])
    }
    for (const url of ['/v2/gone', '/v1/broken', '/v2/nowhere']) {
      expect([url, await cacheControlOf(url)]).toEqual([url, 'no-store'])
    }
    expect(await cacheControlOf('/v2/public')).toBe('public, max-age=60')
    expect(await cacheControlOf('/nowhere')).toBeUndefined()
    await server.close()
  })
})

describe('compressed requests', () => {
  const body = { text: 'hello 🌱'.repeat(100) }
  const post = (encoding: string, payload: Buffer) =>
    app.inject({
      method: 'POST',
      url: '/echo',
      headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      payload,
    })

  it.each([
    ['gzip', zlib.gzipSync],
    ['br', zlib.brotliCompressSync],
    ['deflate', zlib.deflateSync],
  ] as const)('%s', async (encoding, encode) => {
    const reply = await post(encoding, encode(JSON.stringify(body)))
    expect([reply.statusCode, reply.json()]).toEqual([200, body])
  })

  it.each(['gzip', 'br', 'zstd'])('an empty body with %s is none', async (encoding) => {
    for (const length of [{}, { 'content-length': '0' }]) {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding, ...length }
      const reply = await app.inject({ method: 'POST', url: '/echo', headers })
      expect([reply.statusCode, reply.body]).toEqual([200, ''])
    }
  })

  it('a body that unpacks beyond the limit -> 413, before all of it is unpacked', async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(200 * 1024 * 1024, 32))
    expect(bomb.length).toBeLessThan(1024 * 1024)
    expect((await post('gzip', bomb)).statusCode).toBe(413)
  })

  it('a body of brotli that unpacks to half a gigabyte -> 413', async () => {
    const options = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }
    const bomb = zlib.brotliCompressSync(Buffer.alloc(512 * 1024 * 1024), options)
    expect(bomb.length).toBeLessThan(16 * 1024)
    expect((await post('br', bomb)).statusCode).toBe(413)
  })

  it('bytes that do not unpack, or an unknown encoding -> 400', async () => {
    for (const bytes of [Buffer.from('{"a":1}'), zlib.gzipSync(JSON.stringify(body)).subarray(0, 30)]) {
      const damaged = await post('gzip', bytes)
      expect([damaged.statusCode, damaged.json().property]).toEqual([400, 'body'])
    }
    for (const encoding of ['zstd', 'constructor', '__proto__', 'toString']) {
      const unknown = await post(encoding, Buffer.from('x'))
      expect([unknown.statusCode, unknown.json().property]).toEqual([400, 'content-encoding'])
    }
  })
})

it.each(['gzip', 'br', 'deflate'])(
  '%s that does not unpack, in a body that is refused unread -> no uncaught error',
  async (encoding) => {
    const uncaught: unknown[] = []
    const note = (error: unknown) => uncaught.push(error)
    process.on('uncaughtException', note)
    const headers = { 'content-type': 'text/plain', 'content-encoding': encoding }
    for (const payload of [Buffer.from('no such bytes'), zlib.gzipSync('cut off').subarray(0, 12)]) {
      const reply = await app.inject({ method: 'POST', url: '/bytes', headers, payload })
      expect(reply.statusCode).toBe(400)
    }
    // Errors of decoders come from a thread: after those of a later one, they have come.
    await new Promise((resolve) => zlib.createGunzip().on('error', resolve).end('no such bytes'))
    process.off('uncaughtException', note)
    expect(uncaught).toEqual([])
  },
)

it('each part can be turned off', async () => {
  const plain = await start({ compressReplies: false, etags: false, compressedRequests: false })
  const reply = await plain.inject({ url: '/page', headers: { 'accept-encoding': 'br' } })
  expect(reply.headers).not.toHaveProperty('content-encoding')
  expect(reply.headers).not.toHaveProperty('etag')
  const post = await plain.inject({
    method: 'POST',
    url: '/echo',
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    payload: zlib.gzipSync('{}'),
  })
  expect(post.statusCode).toBe(400)
  await plain.close()
})

it('what is no request gets the error body of the API, and the connection is closed', async () => {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const headersOf = (size: number) => `GET /page HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(size)}\r\n\r\n`
  for (const [bytes, status, code] of [
    ['nonsense\r\n\r\n', 400, 'MalformedRequest'],
    [headersOf(40_000), 431, 'HeadersTooLarge'],
  ] as const) {
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('end', () => resolve(text))
      socket.on('error', reject)
    })
    const [head = '', body = ''] = reply.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*connection: close`))
    expect(JSON.parse(body)).toEqual({ code, status, message: expect.any(String) })
  }
  const status = await new Promise((resolve) =>
    request({ port, host: '127.0.0.1', path: '/short' }, (reply) => resolve(reply.resume().statusCode)).end(),
  )
  expect(status).toBe(200)
})
