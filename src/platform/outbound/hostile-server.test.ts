import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { serveHttp, serveTcp } from './testing/loopback-server.js'
import { answerOf, failureKindOf, text } from './testing/requests.js'

const MEGABYTE = 1_048_576

describe('a redirect', () => {
  it('is followed up to the limit, and the response has the last URL', async () => {
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

  it('is the response without following, and to a POST', async () => {
    const { origin } = await serveHttp((_, res) => res.writeHead(307, { location: '/b' }).end('elsewhere'))
    const answer = await answerOf(`${origin}/a`)
    expect(answer).toMatchObject({ status: 307, url: `${origin}/a` })
    expect(text(answer)).toBe('elsewhere')
    expect(await answerOf(origin, { method: 'POST', maxRedirects: 5 })).toMatchObject({ status: 307 })
  })

  it('loop ends', async () => {
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

  it('to a name with a private address is refused', async () => {
    const { origin } = await serveHttp((_, res) =>
      res.writeHead(302, { location: 'http://evil.social/' }).end(),
    )
    const resolve = async () => ['10.0.0.1']
    expect(await failureKindOf(origin, { maxRedirects: 5 }, { resolve })).toBe('forbidden-address')
  })

  it('keeps credentials within an origin only', async () => {
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

  it('without a location is a response', async () => {
    const { origin } = await serveHttp((_, res) => res.writeHead(302).end('nowhere'))
    expect(await answerOf(origin, { maxRedirects: 5 })).toMatchObject({ status: 302 })
  })
})

describe('a body', () => {
  it('is read up to its limit', async () => {
    const { origin } = await serveHttp((_, res) => res.end('a'.repeat(1_001)))
    const isTruncated = await answerOf(origin, { maxBytes: 1_000 })
    expect([isTruncated.bytes.length, isTruncated.isTruncated]).toEqual([1_000, true])
    const fullAnswer = await answerOf(origin, { maxBytes: 1_001 })
    expect([fullAnswer.bytes.length, fullAnswer.isTruncated]).toEqual([1_001, false])
  })

  it('has a limit that may depend on the head', async () => {
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
  })

  it('that nobody asks for is not read, whatever its encoding', async () => {
    const { origin } = await serveHttp((_, res) =>
      res.writeHead(200, { 'content-encoding': 'zstd' }).end('hello'),
    )
    const { bytes, isTruncated } = await answerOf(origin, { maxBytes: 0 })
    expect([bytes.length, isTruncated]).toEqual([0, true])
  })

  it('is truncated also where more comes after what was asked for', async () => {
    const { origin } = await serveHttp((_, res) => {
      res.write('a'.repeat(1_000), () => setImmediate(() => res.end('b')))
    })
    const { bytes, isTruncated } = await answerOf(origin, { maxBytes: 1_000 })
    expect([bytes.length, isTruncated]).toEqual([1_000, true])
  })

  it('without an end is aborted', async () => {
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
    expect([answer.bytes.length, answer.isTruncated]).toEqual([100_000, true])
    expect(sent).toBeLessThan(50 * MEGABYTE)
  })

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('compressed with %s is decompressed, and limited afterwards', async (encoding, compress) => {
    // Larger when it is compressed than without.
    const random = randomBytes(MEGABYTE)
    const bodies = {
      '/small': compress(Buffer.from('hello')),
      '/bomb': compress(Buffer.alloc(20 * MEGABYTE)),
      '/random': compress(random),
      '/broken': compress(random).subarray(0, 100_000),
    }
    const { origin } = await serveHttp((req, res) => {
      const body = Object.entries(bodies).find(([path]) => path === req.url)?.[1]
      res.writeHead(200, { 'content-encoding': ` ${encoding.toUpperCase()} ` }).end(body)
    })
    expect(text(await answerOf(`${origin}/small`))).toBe('hello')
    const whole = await answerOf(`${origin}/random`, { maxBytes: random.length })
    expect([random.equals(whole.bytes), whole.isTruncated]).toEqual([true, false])
    const answer = await answerOf(`${origin}/bomb`, { maxBytes: 100_000 })
    expect([answer.bytes.length, answer.isTruncated]).toEqual([100_000, true])
    // The arrived part of an interrupted stream is returned.
    const broken = await answerOf(`${origin}/broken`, { maxBytes: random.length })
    expect(broken.bytes.length).toBeGreaterThan(0)
    expect(random.subarray(0, broken.bytes.length).equals(broken.bytes)).toBe(true)
  })

  it('that decompresses to nothing without an end is aborted', async () => {
    // Each is a complete gzip stream without content.
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

  it('with another compression than its head says is a failure', async () => {
    const encodings = ['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip']
    const { origin } = await serveHttp((req, res) => {
      const encoding = encodings[Number(req.url?.slice(1))]
      res.writeHead(200, { 'content-encoding': encoding }).end('plain text, plain to see')
    })
    for (const index of encodings.keys()) expect(await failureKindOf(`${origin}/${index}`)).toBe('encoding')
  })

  it('that is shorter than its content-length is a failure', async () => {
    const { origin } = await serveTcp((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello')
    })
    expect(await failureKindOf(origin)).toBe('connection')
  })
})

describe('a raw body, whose head says all that matters', () => {
  it('that has no end is what has come of it at the deadline', async () => {
    const { origin } = await serveHttp((_, res) => res.writeHead(200, { 'x-a': '1' }).write('hel'))
    const answer = await answerOf(origin, { isRaw: true, deadlineMs: 10_000 })
    expect(answer).toMatchObject({ status: 200, headers: { 'x-a': '1' }, isTruncated: true })
    expect(text(answer)).toBe('hel')
  })

  it.each([
    ['that is shorter than its content-length', 'content-length: 100\r\n\r\nhello'],
    ['with chunks that are none', 'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n'],
  ])('%s is what has come of it', async (_, rest) => {
    const { origin } = await serveTcp((socket) => socket.end(`HTTP/1.1 201 Created\r\n${rest}`))
    const answer = await answerOf(origin, { isRaw: true })
    expect([answer.status, text(answer), answer.isTruncated]).toEqual([201, 'hello', true])
  })

  it('whose head does not come in time is a failure', async () => {
    const { origin } = await serveTcp((socket) => void socket.write('HTTP/1.1 200 OK\r\n'))
    expect(await failureKindOf(origin, { isRaw: true, deadlineMs: 200 })).toBe('deadline')
  })
})

describe('a server that misbehaves', () => {
  it('with a slow body is aborted at the deadline', async () => {
    const { origin } = await serveHttp((_, res) => {
      const timer = setInterval(() => res.write('.'), 20)
      res.on('close', () => clearInterval(timer))
    })
    const startedMs = performance.now()
    expect(await failureKindOf(origin, { deadlineMs: 300 })).toBe('deadline')
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(290)
  })

  it('with a slow head is aborted at the deadline', async () => {
    const { origin } = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const timer = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(timer))
    })
    expect(await failureKindOf(origin, { deadlineMs: 300 })).toBe('deadline')
  })

  it('without a response is aborted at the deadline, over TLS as well', async () => {
    const { origin, port } = await serveTcp(() => {})
    expect(await failureKindOf(origin, { deadlineMs: 200 })).toBe('deadline')
    const overTls = `https://127.0.0.1:${port}/`
    expect(await failureKindOf(overTls, { deadlineMs: 200 }, { connectTimeoutMs: 1_000 })).toBe('deadline')
  })

  it('with slow redirects is aborted at the deadline of the exchange', async () => {
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

  it('that hangs up or does not exist is a connection failure', async () => {
    const { origin } = await serveTcp((socket) => socket.destroy())
    expect(await failureKindOf(origin)).toBe('connection')
    expect(await failureKindOf('http://127.0.0.1:1/', {}, {})).toBe('forbidden-port')
    expect(await failureKindOf('http://127.0.0.1:2/')).toBe('connection')
  })
})
