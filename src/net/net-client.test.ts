import { setImmediate } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createNetClient, type NetAnswer, type NetClientOptions, type NetRequest } from './net-client.js'
import { isNetFailure, type NetFailure } from './net-failure.js'
import { createCertificate } from './testing/certificate.js'
import { serveHttp, serveTcp } from './testing/loopback-server.js'

const MEGABYTE = 1_048_576

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

function createClient(options: Partial<NetClientOptions> = {}) {
  const client = createNetClient({
    policy: { allowHttp: true, allowLoopback: true },
    userAgent: 'plaza test',
    resolve: async (host) => expect.fail(`${host} was looked up`),
    ...options,
  })
  open.push(client.close)
  return client
}

/** One request of a client that may reach loopback. */
async function request(
  url: string,
  more: Partial<NetRequest> = {},
  options: Partial<NetClientOptions> = {},
): Promise<NetAnswer | NetFailure> {
  return createClient(options).request({ url, deadlineMs: 5_000, maxBytes: 1_000, ...more })
}

async function answerOf(...parameters: Parameters<typeof request>): Promise<NetAnswer> {
  const result = await request(...parameters)
  if (isNetFailure(result)) return expect.fail(`${result.kind}: ${result.detail}`)
  return result
}

async function failureKindOf(...parameters: Parameters<typeof request>): Promise<string> {
  const result = await request(...parameters)
  return isNetFailure(result) ? result.kind : `answered ${result.status}`
}

function text({ bytes }: NetAnswer): string {
  return Buffer.from(bytes).toString()
}

describe('an answer', () => {
  it('has the status, the headers by lower-case name, and the body', async () => {
    const { origin } = await serveHttp((req, res) => {
      res.writeHead(418, { 'X-Kettle': 'on', 'X-Cup': ['a', 'b'] }).end(`${req.method} ${req.url}`)
    })
    const answer = await answerOf(`${origin}/tea?strong=yes#now`)
    expect(answer).toMatchObject({ status: 418, cut: false, url: `${origin}/tea?strong=yes#now` })
    expect(answer.headers).toMatchObject({ 'x-kettle': 'on', 'x-cup': 'a, b' })
    expect(text(answer)).toBe('GET /tea?strong=yes')
  })

  it('comes to a POST with a body and headers', async () => {
    const { origin } = await serveHttp(async (req, res) => {
      const chunks = await req.toArray()
      res.end(`${req.headers['x-a']} ${req.headers['user-agent']} ${Buffer.concat(chunks)}`)
    })
    const answer = await answerOf(origin, { method: 'POST', body: 'hello', headers: { 'x-a': '1' } })
    expect(text(answer)).toBe('1 plaza test hello')
  })

  it('comes over a kept connection the second time', async () => {
    const server = await serveHttp((_, res) => res.end('hello'))
    const client = createClient()
    for (let turn = 0; turn < 3; turn += 1) {
      await client.request({ url: server.origin, deadlineMs: 5_000, maxBytes: 10 })
      // The connection is free a moment after the body was read.
      await setImmediate()
    }
    expect(server.connections()).toBe(1)
  })

  it('does not go through the proxy of the environment', async () => {
    const proxy = await serveTcp((socket) => socket.destroy())
    const { origin } = await serveHttp((_, res) => res.end('straight'))
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'ALL_PROXY'])
      vi.stubEnv(name, proxy.origin)
    expect(text(await answerOf(origin))).toBe('straight')
    expect(proxy.connections()).toBe(0)
    vi.unstubAllEnvs()
  })
})

describe('a name', () => {
  it('is looked up once and dialled at the address that was checked, keeping Host', async () => {
    const { port } = await serveHttp((req, res) => res.end(req.headers.host))
    const resolve = vi.fn(async () => ['127.0.0.1'])
    const answer = await answerOf(`http://plaza.social:${port}/`, {}, { resolve })
    expect(text(answer)).toBe(`plaza.social:${port}`)
    expect(resolve).toHaveBeenCalledExactlyOnceWith('plaza.social')
  })

  it('that meant a harmless address and now means the inside is not dialled any more', async () => {
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

  it('is not dialled at loopback by a client that may not', async () => {
    const server = await serveHttp((_, res) => res.end('secret'))
    const options = {
      policy: { allowHttp: true, allowLoopback: false },
      resolve: async () => ['127.0.0.1'],
    }
    expect(await failureKindOf(`http://plaza.social:${server.port}/`, {}, options)).toBe('forbidden-address')
    expect(await failureKindOf(server.origin, {}, options)).toBe('forbidden-address')
    expect(server.connections()).toBe(0)
  })

  it('that changes its address while a connection is kept goes on with the checked one', async () => {
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
  ])('that resolves to %j is refused, whatever else it resolves to', async (addresses) => {
    const server = await serveHttp((_, res) => res.end('secret'))
    const url = `http://plaza.social:${server.port}/`
    expect(await failureKindOf(url, {}, { resolve: async () => addresses })).toBe('forbidden-address')
    expect(server.connections()).toBe(0)
  })

  it('is tried at each of its addresses', async () => {
    const { port } = await serveHttp((_, res) => res.end('here'))
    const resolve = async () => ['127.0.0.99', '127.0.0.1']
    expect(text(await answerOf(`http://plaza.social:${port}/`, {}, { resolve }))).toBe('here')
  })

  it('without addresses is told from a name service that fails', async () => {
    expect(await failureKindOf('http://plaza.social/', {}, { resolve: async () => [] })).toBe('unknown-host')
  })

  it('localhost is loopback, without a question to anybody', async () => {
    const { port } = await serveHttp((_, res) => res.end('home'))
    expect(text(await answerOf(`http://localhost:${port}/`))).toBe('home')
    expect(text(await answerOf(`http://app.localhost:${port}/`))).toBe('home')
  })
})

describe('TLS', () => {
  it('checks the name, not the pinned address, and tells the server which name is meant', async () => {
    const certificate = createCertificate('plaza.social')
    const { port } = await serveHttp((req, res) => {
      res.end('servername' in req.socket ? String(req.socket.servername) : '')
    }, certificate)
    const options = { ca: certificate.cert, resolve: async () => ['127.0.0.1'] }
    expect(text(await answerOf(`https://plaza.social:${port}/`, {}, options))).toBe('plaza.social')
    expect(await failureKindOf(`https://other.social:${port}/`, {}, options)).toBe('tls')
  })

  it('takes an address that the certificate names', async () => {
    const certificate = createCertificate('127.0.0.1')
    const { origin } = await serveHttp((_, res) => res.end('safe'), certificate)
    expect(text(await answerOf(origin, {}, { ca: certificate.cert }))).toBe('safe')
  })

  it('refuses an unknown authority, even if the environment says not to look', async () => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const { origin } = await serveHttp((_, res) => res.end('fake'), createCertificate('127.0.0.1'))
    expect(await failureKindOf(origin)).toBe('tls')
    vi.unstubAllEnvs()
  })

  it('is not spoken by a plain server', async () => {
    const { port } = await serveHttp((_, res) => res.end('plain'))
    expect(await failureKindOf(`https://127.0.0.1:${port}/`)).toBe('tls')
  })
})

describe('a redirect', () => {
  it('is followed as often as was said, and answers with the last address', async () => {
    const { origin } = await serveHttp((req, res) => {
      const step = Number(req.url?.slice(1))
      if (step === 0) res.end('arrived')
      else res.writeHead(302, { location: `./${step - 1}` }).end('on the way')
    })
    expect(await answerOf(`${origin}/3`, { maxRedirects: 3 })).toMatchObject({
      url: `${origin}/0`,
      status: 200,
    })
    expect(await failureKindOf(`${origin}/3`, { maxRedirects: 2 })).toBe('too-many-redirects')
  })

  it('is the answer when none is to be followed, and to a POST', async () => {
    const { origin } = await serveHttp((_, res) => res.writeHead(307, { location: '/b' }).end('elsewhere'))
    const answer = await answerOf(`${origin}/a`)
    expect(answer).toMatchObject({ status: 307, url: `${origin}/a` })
    expect(text(answer)).toBe('elsewhere')
    expect(await answerOf(origin, { method: 'POST', maxRedirects: 5 })).toMatchObject({ status: 307 })
  })

  it('in a circle ends', async () => {
    const { origin } = await serveHttp((_, res) => res.writeHead(301, { location: '/' }).end())
    expect(await failureKindOf(origin, { maxRedirects: 10 })).toBe('too-many-redirects')
  })

  it.each([
    ['http://10.0.0.1/', 'forbidden-address'],
    ['http://169.254.169.254/latest/meta-data/', 'forbidden-address'],
    ['//[::ffff:127.0.0.1]/', 'forbidden-address'],
    ['http://2852039166/', 'forbidden-address'],
    ['http://metadata.google.internal/', 'forbidden-host'],
    ['file:///etc/passwd', 'forbidden-scheme'],
    ['http://user:secret@127.0.0.1/', 'forbidden-credentials'],
    ['http://127.0.0.1:6000/', 'forbidden-port'],
    ['http://[', 'invalid-url'],
  ])('to %s is refused', async (location, kind) => {
    const { origin } = await serveHttp((_, res) => res.writeHead(302, { location }).end())
    expect(await failureKindOf(origin, { maxRedirects: 5 })).toBe(kind)
  })

  it('to a name that resolves to the inside is refused', async () => {
    const { origin } = await serveHttp((_, res) =>
      res.writeHead(302, { location: 'http://evil.social/' }).end(),
    )
    const resolve = async () => ['10.0.0.1']
    expect(await failureKindOf(origin, { maxRedirects: 5 }, { resolve })).toBe('forbidden-address')
  })

  it('takes credentials along within an origin only', async () => {
    const other = await serveHttp((req, res) => res.end(`${req.headers.authorization} ${req.headers['x-a']}`))
    const { origin } = await serveHttp((req, res) => {
      if (req.url === '/there') res.writeHead(302, { location: other.origin }).end()
      else if (req.url === '/here') res.writeHead(302, { location: '/' }).end()
      else res.end(`${req.headers.authorization} ${req.headers['x-a']}`)
    })
    const more = { headers: { Authorization: 'me', 'x-a': '1' }, maxRedirects: 1 }
    expect(text(await answerOf(`${origin}/here`, more))).toBe('me 1')
    expect(text(await answerOf(`${origin}/there`, more))).toBe('undefined 1')
  })

  it('without an address to go to is an answer', async () => {
    const { origin } = await serveHttp((_, res) => res.writeHead(302).end('nowhere'))
    expect(await answerOf(origin, { maxRedirects: 5 })).toMatchObject({ status: 302 })
  })
})

describe('a body', () => {
  it('is read up to its bound, and no further', async () => {
    const { origin } = await serveHttp((_, res) => res.end('a'.repeat(1_001)))
    const cut = await answerOf(origin, { maxBytes: 1_000 })
    expect([cut.bytes.length, cut.cut]).toEqual([1_000, true])
    const whole = await answerOf(origin, { maxBytes: 1_001 })
    expect([whole.bytes.length, whole.cut]).toEqual([1_001, false])
  })

  it('has a bound that may follow from the head', async () => {
    const { origin } = await serveHttp((_, res) =>
      res.writeHead(200, { 'content-type': 'text/plain' }).end('hello'),
    )
    const maxBytes = vi.fn(() => 2)
    expect(text(await answerOf(origin, { maxBytes }))).toBe('he')
    expect(maxBytes).toHaveBeenCalledWith(
      expect.objectContaining({
        status: 200,
        headers: expect.objectContaining({ 'content-type': 'text/plain' }),
      }),
    )
    expect((await answerOf(origin, { maxBytes: 0 })).bytes).toHaveLength(0)
  })

  it('without an end is left', async () => {
    let sent = 0
    const { origin } = await serveHttp((_, res) => {
      const chunk = Buffer.alloc(65_536)
      const more = () => {
        while (!res.destroyed && res.write(chunk)) sent += chunk.length
      }
      res.on('drain', more)
      more()
    })
    const answer = await answerOf(origin, { maxBytes: 100_000 })
    expect([answer.bytes.length, answer.cut]).toEqual([100_000, true])
    expect(sent).toBeLessThan(50 * MEGABYTE)
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('compressed with %s is decompressed, and bounded after that', async (encoding, compress) => {
    const bomb = compress(Buffer.alloc(20 * MEGABYTE))
    const bodies = {
      '/small': compress(Buffer.from('hello')),
      '/bomb': bomb,
      '/broken': bomb.subarray(0, 5_000),
    }
    const { origin } = await serveHttp((req, res) => {
      const body = Object.entries(bodies).find(([path]) => path === req.url)?.[1]
      res.writeHead(200, { 'content-encoding': encoding }).end(body)
    })
    expect(text(await answerOf(`${origin}/small`))).toBe('hello')
    const answer = await answerOf(`${origin}/bomb`, { maxBytes: 100_000 })
    expect([answer.bytes.length, answer.cut]).toEqual([100_000, true])
    // What arrived of a stream that breaks off is read.
    expect((await answerOf(`${origin}/broken`)).bytes.length).toBeGreaterThan(0)
  })

  it('that decompresses to nothing, for ever, is left', async () => {
    // Each is a whole gzip stream that holds no byte.
    const nothing = Buffer.concat(Array.from({ length: 1_000 }, () => gzipSync('')))
    const { origin } = await serveHttp((_, res) => {
      res.writeHead(200, { 'content-encoding': 'gzip' })
      const more = () => {
        while (!res.destroyed && res.write(nothing));
      }
      res.on('drain', more)
      more()
    })
    expect((await answerOf(origin)).bytes).toHaveLength(0)
  })

  it('that is not compressed as its head says is a failure', async () => {
    const encodings = ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']
    const { origin } = await serveHttp((req, res) => {
      const encoding = encodings[Number(req.url?.slice(1))]
      res.writeHead(200, { 'content-encoding': encoding }).end('plain text, plain to see')
    })
    for (const index of encodings.keys()) expect(await failureKindOf(`${origin}/${index}`)).toBe('encoding')
  })

  it('that is shorter than announced is a failure', async () => {
    const { origin } = await serveTcp((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello')
    })
    expect(await failureKindOf(origin)).toBe('connection')
  })
})

describe('a server that misbehaves', () => {
  it('by a body that trickles is left at the deadline', async () => {
    const { origin } = await serveHttp((_, res) => {
      const timer = setInterval(() => res.write('.'), 20)
      res.on('close', () => clearInterval(timer))
    })
    const begun = performance.now()
    expect(await failureKindOf(origin, { deadlineMs: 300 })).toBe('deadline')
    expect(performance.now() - begun).toBeGreaterThanOrEqual(290)
  })

  it('by a head that trickles is left at the deadline', async () => {
    const { origin } = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await failureKindOf(origin, { deadlineMs: 300 })).toBe('deadline')
  })

  it('by silence is left at the deadline, over TLS as well', async () => {
    const { origin, port } = await serveTcp(() => {})
    expect(await failureKindOf(origin, { deadlineMs: 200 })).toBe('deadline')
    expect(await failureKindOf(`https://127.0.0.1:${port}/`, { deadlineMs: 200 })).toBe('deadline')
  })

  it('by redirects that take their time is left at the deadline of the whole', async () => {
    const { origin } = await serveHttp((_, res) => {
      setTimeout(() => res.writeHead(302, { location: '/' }).end(), 80)
    })
    expect(await failureKindOf(origin, { deadlineMs: 300, maxRedirects: 100 })).toBe('deadline')
  })

  it.each([
    ['garbage', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['a garbage status', 'HTTP/1.1 abc Fine\r\n\r\n'],
    ['an impossible version', 'HTTP/9.9 200 OK\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
    [
      'a length and chunks',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['chunks that are none', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n'],
    ['a huge head', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['many headers', `HTTP/1.1 200 OK\r\n${'x: a\r\n'.repeat(20_000)}\r\n`],
  ])('by %s is a failure of protocol', async (_, bytes) => {
    const { origin } = await serveTcp((socket) => socket.end(bytes))
    expect(await failureKindOf(origin)).toBe('protocol')
  })

  it('by hanging up, or not being there, is a failure of the connection', async () => {
    const { origin } = await serveTcp((socket) => socket.destroy())
    expect(await failureKindOf(origin)).toBe('connection')
    expect(await failureKindOf('http://127.0.0.1:1/', {}, {})).toBe('forbidden-port')
    expect(await failureKindOf('http://127.0.0.1:2/')).toBe('connection')
  })
})

describe('a client', () => {
  it('gives up when its caller does', async () => {
    const { origin } = await serveTcp(() => {})
    expect(await failureKindOf(origin, { signal: AbortSignal.timeout(50) })).toBe('aborted')
    expect(await failureKindOf(origin, { signal: AbortSignal.abort() })).toBe('aborted')
  })

  it('ends what is under way when it is closed, and starts nothing after', async () => {
    const { origin } = await serveTcp(() => {})
    const client = createClient()
    const pending = client.request({ url: origin, deadlineMs: 5_000, maxBytes: 1 })
    await new Promise((resolve) => setTimeout(resolve, 50))
    await client.close()
    expect(await pending).toMatchObject({ kind: 'aborted' })
    expect(await client.request({ url: origin, deadlineMs: 5_000, maxBytes: 1 })).toMatchObject({
      kind: 'aborted',
    })
  })

  it('throws what is a fault of ours', async () => {
    await expect(request('http://127.0.0.1:2/', { headers: { 'x-a': 'a\r\nb: c' } })).rejects.toThrow(
      'invalid',
    )
  })
})
