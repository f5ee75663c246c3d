import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { isNetFailure, netFailure } from './net-failure.js'
import { createCertificate } from './testing/certificate.js'
import { serveHttp, serveTcp } from './testing/loopback-server.js'
import { answerOf, createClient, failureKindOf, request, text } from './testing/requests.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('a response', () => {
  it('has the status, the headers by lowercase name, and the body', async () => {
    const { origin } = await serveHttp((req, res) => {
      res.writeHead(418, { 'X-Kettle': 'on', 'X-Cup': ['a', 'b'] }).end(`${req.method} ${req.url}`)
    })
    const answer = await answerOf(`${origin}/tea?strong=yes#now`)
    expect(answer).toMatchObject({ status: 418, isTruncated: false, url: `${origin}/tea?strong=yes#now` })
    expect(answer.headers).toMatchObject({ 'x-kettle': 'on', 'x-cup': 'a, b' })
    expect(text(answer)).toBe('GET /tea?strong=yes')
  })

  it('to a POST receives its body and headers', async () => {
    const { origin } = await serveHttp(async (req, res) => {
      const chunks = await req.toArray()
      res.end(`${req.headers['x-a']} ${req.headers['user-agent']} ${Buffer.concat(chunks)}`)
    })
    const answer = await answerOf(origin, { method: 'POST', body: 'hello', headers: { 'x-a': '1' } })
    expect(text(answer)).toBe('1 plaza test hello')
  })

  it('uses the kept connection the second time', async () => {
    const server = await serveHttp((_, res) => res.end('hello'))
    const client = createClient()
    for (let turn = 0; turn < 3; turn += 1) {
      await client.request({ url: server.origin, deadlineMs: 5_000, maxBytes: 10 })
      // The connection is free shortly after the body was read.
      await setImmediate()
    }
    expect(server.connections()).toBe(1)
  })

  it('to a request that may be repeated comes over a new connection where the kept one has ended', async () => {
    const answered = new WeakSet()
    const server = await serveHttp((req, res) => {
      if (answered.has(req.socket)) return req.socket.destroy()
      answered.add(req.socket)
      return res.end('hello')
    })
    const client = createClient()
    const post = (isRepeatable: boolean) =>
      client.request({
        url: server.origin,
        method: 'POST',
        body: '1',
        deadlineMs: 5_000,
        maxBytes: 10,
        isRepeatable,
      })
    expect(await post(true)).toMatchObject({ status: 200 })
    await setImmediate()
    expect(await post(true)).toMatchObject({ status: 200 })
    expect(server.connections()).toBe(2)
    await setImmediate()
    expect(await post(false)).toMatchObject({ kind: 'connection' })
    expect(server.connections()).toBe(2)
  })

  it('that never begins is a failure after the second time', async () => {
    const server = await serveHttp((req) => req.socket.destroy())
    const options = { deadlineMs: 5_000, maxBytes: 10, isRepeatable: true }
    expect(await createClient().request({ url: server.origin, ...options })).toMatchObject({
      kind: 'connection',
    })
    expect(server.connections()).toBe(2)
  })

  it('ignores the proxy of the environment', async () => {
    const proxy = await serveTcp((socket) => socket.destroy())
    const { origin } = await serveHttp((_, res) => res.end('straight'))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, proxy.origin)
    expect(text(await answerOf(origin))).toBe('straight')
    expect(proxy.connections()).toBe(0)
  })
})

describe('a name', () => {
  it('is resolved once and connected at the checked address, keeping Host', async () => {
    const { port } = await serveHttp((req, res) => res.end(req.headers.host))
    const resolve = vi.fn(async () => ['127.0.0.1'])
    const answer = await answerOf(`http://plaza.social:${port}/`, {}, { resolve })
    expect(text(answer)).toBe(`plaza.social:${port}`)
    expect(resolve).toHaveBeenCalledExactlyOnceWith('plaza.social')
  })

  it('that changes to a private address is refused', async () => {
    const server = await serveHttp((_, res) => res.writeHead(200, { connection: 'close' }).end('hello'))
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['::ffff:127.0.0.1']]
    const client = createClient({ resolve: async () => answers.shift() ?? [] })
    const once = () =>
      client.request({ url: `http://plaza.social:${server.port}/`, deadlineMs: 5_000, maxBytes: 10 })
    expect(await once()).toMatchObject({ status: 200 })
    expect(await once()).toMatchObject({ kind: 'forbidden-address' })
    expect(await once()).toMatchObject({ kind: 'forbidden-address' })
    expect(server.connections()).toBe(1)
  })

  it('at loopback is refused unless the policy allows it', async () => {
    const server = await serveHttp((_, res) => res.end('secret'))
    const options = {
      policy: { allowHttp: true, allowLoopback: false },
      resolve: async () => ['127.0.0.1'],
    }
    expect(await failureKindOf(`http://plaza.social:${server.port}/`, {}, options)).toBe('forbidden-address')
    expect(await failureKindOf(server.origin, {}, options)).toBe('forbidden-address')
    expect(server.connections()).toBe(0)
  })

  it('that changes its address keeps the checked connection', async () => {
    const server = await serveHttp((_, res) => res.end('hello'))
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    const client = createClient({ resolve: async () => answers.shift() ?? [] })
    const once = () =>
      client.request({ url: `http://plaza.social:${server.port}/`, deadlineMs: 5_000, maxBytes: 10 })
    expect(await once()).toMatchObject({ status: 200 })
    await setImmediate()
    expect(await once()).toMatchObject({ status: 200 })
    expect(server.connections()).toBe(1)
    expect(answers).toHaveLength(1)
  })

  it.each([
    [['10.0.0.1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    [['169.254.169.254']],
    [['fe80::1%eth0']],
    [['not an address']],
    [['127.0.0.1', '10.0.0.1']],
    [['8.8.8.8', '192.168.0.1']],
  ])('that resolves to %j is refused', async (addresses) => {
    const server = await serveHttp((_, res) => res.end('secret'))
    const url = `http://plaza.social:${server.port}/`
    expect(await failureKindOf(url, {}, { resolve: async () => addresses })).toBe('forbidden-address')
    expect(server.connections()).toBe(0)
  })

  it('is tried at each address', async () => {
    const { port } = await serveHttp((_, res) => res.end('here'))
    const resolve = async () => ['127.0.0.99', '127.0.0.1']
    expect(text(await answerOf(`http://plaza.social:${port}/`, {}, { resolve }))).toBe('here')
  })

  it('without addresses is distinguished from a failing name server', async () => {
    expect(await failureKindOf('http://plaza.social/', {}, { resolve: async () => [] })).toBe('unknown-host')
  })

  it('localhost is loopback without a lookup', async () => {
    const { port } = await serveHttp((_, res) => res.end('home'))
    expect(text(await answerOf(`http://localhost:${port}/`))).toBe('home')
    expect(text(await answerOf(`http://app.localhost:${port}/`))).toBe('home')
  })
})

describe('TLS', () => {
  it('verifies the name, not the address, and sends it to the server', async () => {
    const certificate = createCertificate('plaza.social')
    const { port } = await serveHttp((req, res) => {
      res.end('servername' in req.socket ? String(req.socket.servername) : '')
    }, certificate)
    const options = { ca: certificate.cert, resolve: async () => ['127.0.0.1'] }
    expect(text(await answerOf(`https://plaza.social:${port}/`, {}, options))).toBe('plaza.social')
    expect(await failureKindOf(`https://other.social:${port}/`, {}, options)).toBe('tls')
  })

  it('accepts an address in the certificate', async () => {
    const certificate = createCertificate('127.0.0.1')
    const { origin } = await serveHttp((_, res) => res.end('safe'), certificate)
    expect(text(await answerOf(origin, {}, { ca: certificate.cert }))).toBe('safe')
  })

  it('refuses an unknown authority, even if the environment turns verification off', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const { origin } = await serveHttp((_, res) => res.end('fake'), createCertificate('127.0.0.1'))
    expect(await failureKindOf(origin)).toBe('tls')
  })

  it('fails with a plain HTTP server', async () => {
    const { port } = await serveHttp((_, res) => res.end('plain'))
    expect(await failureKindOf(`https://127.0.0.1:${port}/`)).toBe('tls')
  })
})

describe('a client', () => {
  it('ends many requests with one signal, without a warning', async () => {
    const { origin } = await serveHttp(() => {})
    const stopping = new AbortController()
    const warned = vi.fn()
    process.on('warning', warned)
    onTestFinished(() => void process.off('warning', warned))
    const requests = Array.from({ length: 20 }, () => failureKindOf(origin, { signal: stopping.signal }))
    // Warnings are told in a later turn.
    await setImmediate()
    stopping.abort()
    expect(await Promise.all(requests)).toEqual(requests.map(() => 'aborted'))
    expect(warned).not.toHaveBeenCalled()
  })

  it('aborts with its caller', async () => {
    const { origin } = await serveTcp(() => {})
    expect(await failureKindOf(origin, { signal: AbortSignal.timeout(50) })).toBe('aborted')
    expect(await failureKindOf(origin, { signal: AbortSignal.abort() })).toBe('aborted')
  })

  it('does not wait for connecting sockets when it is closed', async () => {
    const { port, connections } = await serveTcp(() => {})
    const client = createClient({ connectTimeoutMs: 60_000 })
    const url = `https://127.0.0.1:${port}/`
    const pending = Array.from({ length: 20 }, () => client.request({ url, deadlineMs: 60_000, maxBytes: 1 }))
    await expect.poll(connections).toBe(20)
    await client.close()
    for (const result of await Promise.all(pending)) expect(result).toMatchObject({ kind: 'aborted' })
  })

  it('aborts current requests when it is closed, and starts no new ones', async () => {
    const { origin, connections } = await serveTcp(() => {})
    const client = createClient()
    const pending = client.request({ url: origin, deadlineMs: 5_000, maxBytes: 1 })
    await expect.poll(connections).toBe(1)
    await client.close()
    expect(await pending).toMatchObject({ kind: 'aborted' })
    expect(await client.request({ url: origin, deadlineMs: 5_000, maxBytes: 1 })).toMatchObject({
      kind: 'aborted',
    })
  })

  it('throws errors of the caller', async () => {
    await expect(request('http://127.0.0.1:2/', { headers: { 'x-a': 'a\r\nb: c' } })).rejects.toThrow(
      'invalid',
    )
  })
})

it('only what has a kind and a detail is a failure', () => {
  expect(isNetFailure(netFailure('tls', 'expired'))).toBe(true)
  for (const value of [{ kind: 'tls' }, { detail: 'expired' }]) expect(isNetFailure(value)).toBe(false)
})
