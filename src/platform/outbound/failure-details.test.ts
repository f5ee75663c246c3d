import { describe, expect, it } from 'vitest'
import { createCertificate, createIncompleteCertificate } from './testing/certificate.js'
import { serveHttp, serveTcp } from './testing/loopback-server.js'
import { createClient, request } from './testing/requests.js'

const certificate = createCertificate('127.0.0.1')

describe('what an operator reads of a refused URL', () => {
  it.each([
    [`https://plaza.social/${'a'.repeat(2_048)}`, 'invalid-url', 'the URL is too long'],
    ['/path', 'invalid-url', 'this is not an absolute URL'],
    ['ftp://plaza.social/', 'forbidden-scheme', 'ftp:// is not fetched'],
    [
      'https://:secret@plaza.social/',
      'forbidden-credentials',
      'a URL with a user name or a password is not fetched',
    ],
    ['https://plaza.social:25/', 'forbidden-port', 'port 25 is not dialled'],
    ['https://10.0.0.1/', 'forbidden-address', 'the target is not on the public internet'],
    ['https://metadata/', 'forbidden-host', 'the target is not a public name'],
  ])('%s', async (url, kind, detail) => {
    expect(await request(url)).toEqual({ kind, detail })
  })

  it('with a name without an address', async () => {
    const detail = 'the name has no address'
    const resolve = async () => []
    expect(await request('https://plaza.social/', {}, { resolve })).toEqual({ kind: 'unknown-host', detail })
  })
})

describe('what an operator reads of a failed exchange', () => {
  it.each([
    ['SSH-2.0-OpenSSH_9.6\r\n\r\n', 'protocol', 'the answer is not HTTP'],
    [
      `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`,
      'protocol',
      'the head of the answer is too large',
    ],
    [
      'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nplain',
      'encoding',
      'the body is not compressed as its head says',
    ],
    [
      'HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\ncontent-length: 5\r\n\r\nplain',
      'encoding',
      'content-encoding zstd is not known',
    ],
    ['HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n', 'too-many-redirects', 'redirected too often'],
    ['HTTP/1.1 302 Found\r\nlocation: http://[\r\n\r\n', 'invalid-url', 'redirected to what is not a URL'],
  ])('%#', async (bytes, kind, detail) => {
    const { origin } = await serveTcp((socket) => socket.end(bytes))
    expect(await request(origin, { maxRedirects: 2 })).toEqual({ kind, detail })
  })

  it('with a port at which nobody listens', async () => {
    expect(await request('http://127.0.0.1:2/')).toEqual({
      kind: 'connection',
      detail: 'ECONNREFUSED from the target',
    })
  })

  it.each(['ENETUNREACH', 'EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'EAI_AGAIN'])(
    'that this server could not begin: %s',
    async (code) => {
      const resolve = async () => Promise.reject(Object.assign(new Error('connect'), { code }))
      expect(await request('https://plaza.social/', {}, { resolve })).toEqual({
        kind: 'local',
        detail: `the network of this server failed (${code})`,
      })
    },
  )

  it.each([
    [['ENETUNREACH', 'ECONNREFUSED'], 'connection', 'ECONNREFUSED from the target'],
    [['ENETUNREACH', 'EHOSTUNREACH'], 'connection', 'EHOSTUNREACH from the target'],
    [['ENETUNREACH', 'EADDRNOTAVAIL'], 'local', 'the network of this server failed (ENETUNREACH)'],
  ])('with several addresses: %s', async (codes, kind, detail) => {
    const errors = codes.map((code) => Object.assign(new Error('connect'), { code }))
    const failure = Object.assign(new AggregateError(errors), { code: codes[0] })
    const resolve = () => Promise.reject(failure)
    expect(await request('https://plaza.social/', {}, { resolve })).toEqual({ kind, detail })
  })

  it('with a certificate of nobody known', async () => {
    const { origin } = await serveHttp((_, res) => res.end('fake'), certificate)
    expect(await request(origin)).toEqual({ kind: 'tls', detail: 'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)' })
  })

  it('with a certificate whose issuer the target does not send', async () => {
    const { origin } = await serveHttp((_, res) => res.end('half'), createIncompleteCertificate('127.0.0.1'))
    expect(await request(origin)).toEqual({
      kind: 'tls',
      detail: 'TLS failed (UNABLE_TO_VERIFY_LEAF_SIGNATURE)',
    })
  })

  it('that did not end in time, was given up, or was ended with its client', async () => {
    const { origin } = await serveTcp(() => {})
    expect(await request(origin, { deadlineMs: 50 })).toEqual({
      kind: 'deadline',
      detail: 'no answer within 50 ms',
    })
    expect(await request(origin, { signal: AbortSignal.abort() })).toEqual({
      kind: 'aborted',
      detail: 'the request was given up',
    })
    const client = createClient()
    const silent = await serveTcp(() => {})
    const pending = client.request({ url: silent.origin, deadlineMs: 30_000, maxBytes: 1 })
    await expect.poll(silent.connections).toBe(1)
    await client.close()
    expect(await pending).toEqual({ kind: 'aborted', detail: 'the client was closed' })
  })
})
