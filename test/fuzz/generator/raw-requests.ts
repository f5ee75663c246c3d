import type { Random } from '../../fidelity/generator/random.js'
import type { Credentials } from './api-requests.js'
import { hostileText } from './hostile-values.js'
import type { RawRequest } from './requests.js'

/** A case of raw bytes. By default the server owes one answer, and closes. */
interface RawCase {
  readonly about: string
  readonly pieces: readonly (string | Buffer)[]
  readonly isAbandoned?: true
  readonly answers?: number
}

const PATHS = [
  '/v2/farcaster/user/bulk?fids=1',
  '/v1/info',
  '/healthz',
  '/v2/farcaster/cast',
  '/openapi.json',
  '/admin/apps',
]

/** Generates bytes for the HTTP port, or for that of gRPC. */
export function rawRequest(random: Random, { apiKey }: Credentials): RawRequest {
  if (random.chance(15)) return grpcBytes(random)
  const key = `host: plaza.test\r\nx-api-key: ${apiKey}\r\n`
  const path = random.pick(PATHS)
  const found = random.pick(rawCases)(random, path, key)
  const { about, pieces, isAbandoned = false, answers = isAbandoned ? 0 : 1 } = found
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece))
  return { via: 'raw', port: 'http', about, pieces: bytes, isAbandoned, answers }
}

type MakeCase = (random: Random, path: string, key: string) => RawCase

const closing = 'connection: close\r\n\r\n'
const post = (key: string, more = '') =>
  `POST /v2/farcaster/cast HTTP/1.1\r\n${key}content-type: application/json\r\n${more}`

/** Requests that stop in the middle. The client leaves: the server waits up to its time limits. */
const partialCases: readonly MakeCase[] = [
  (random, path, key) => {
    const whole = `GET ${path} HTTP/1.1\r\n${key}\r\n`
    return {
      about: 'part of a head',
      isAbandoned: true,
      pieces: [whole.slice(0, random.below(whole.length - 1))],
    }
  },
  (random, _path, key) => ({
    about: 'part of a body',
    isAbandoned: true,
    pieces: [post(key, 'content-length: 100\r\n\r\n'), '{"text":"x'.slice(0, random.below(10))],
  }),
  (_random, _path, key) => ({
    about: 'part of a chunk',
    isAbandoned: true,
    pieces: [post(key, 'transfer-encoding: chunked\r\n\r\n'), 'ff\r\n{"a":'],
  }),
  (random, path, key) => {
    const whole = `GET ${path} HTTP/1.1\r\n${key}${closing}`
    const at = random.between(1, whole.length - 1)
    return { about: 'head in pieces', pieces: [whole.slice(0, at), whole.slice(at)] }
  },
]

/** Heads and framings that a parser has to refuse. */
const framingCases: readonly MakeCase[] = [
  (random, path, key) => ({
    about: 'bad request line',
    pieces: [
      `${random.pick([`GET  ${path} HTTP/1.1`, `GET ${path} HTTP/9.9`, `get ${path} HTTP/1.1`, `GET ${path}`, `FROB ${path} HTTP/1.1`, `GET ${path} FTP/1.1`, `GET \u0001 HTTP/1.1`, `${hostileText(random)} / HTTP/1.1`, `GET http:// HTTP/1.1`, `GET a b c HTTP/1.1`])}\r\n${key}${closing}`,
    ],
  }),
  (random, _path, key) => ({
    about: 'bad content-length',
    pieces: [
      post(
        key,
        `content-length: ${random.pick(['-1', 'x', '1e3', '+5', '99999999999999999999', '5, 6', '0x10', ''])}\r\n${closing}`,
      ),
      '{}',
    ],
  }),
  (_random, _path, key) => ({
    about: 'both content-length and chunked',
    pieces: [post(key, `content-length: 5\r\ntransfer-encoding: chunked\r\n${closing}`), '0\r\n\r\n'],
  }),
  (random, _path, key) => ({
    about: 'bad chunk',
    pieces: [
      post(key, `transfer-encoding: chunked\r\n${closing}`),
      random.pick([
        'zz\r\n{}\r\n0\r\n\r\n',
        '-1\r\n',
        '2\r\n{}X\r\n0\r\n\r\n',
        'ffffffffffffffffff\r\n',
        `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
        '\r\n',
        '2\n{}\n0\n\n',
      ]),
    ],
  }),
  (random, path, key) => ({
    about: 'bad header line',
    pieces: [
      `GET ${path} HTTP/1.1\r\n${key}${random.pick(['no-colon', ': no name', 'a b: c', 'x-a: \u0000', 'x-a: b\r x', 'transfer-encoding: gzip, x', 'x\u0080: y', ' folded'])}\r\n${closing}`,
    ],
  }),
  (random, path) => ({
    about: 'host',
    pieces: [
      `GET ${path} HTTP/1.1\r\n${random.pick(['', 'host: a\r\nhost: b\r\n', 'host: \r\n', `host: ${'x'.repeat(3_000)}\r\n`, 'host: a b@c:99999\r\n'])}${closing}`,
    ],
  }),
  (random, path, key) => ({
    about: 'old protocol',
    pieces: [`GET ${path} HTTP/1.0\r\n${random.pick(['', key])}connection: close\r\n\r\n`],
  }),
]

/** Sizes, pipelines and methods. */
const sizeCases: readonly MakeCase[] = [
  (random, path, key) => ({
    about: 'huge head',
    pieces: [
      `GET ${path}${random.chance(50) ? `&x=${'y'.repeat(random.pick([15_000, 17_000, 80_000]))}` : ''} HTTP/1.1\r\n${key}`,
      `x-long: ${'z'.repeat(random.pick([10, 16_000, 100_000]))}\r\n${'x-many: 1\r\n'.repeat(random.pick([0, 100, 2_100]))}${closing}`,
    ],
  }),
  (random, _path, key) => {
    const count = random.pick([2, 5, 20])
    const requests = Array.from(
      { length: count },
      (_, n) =>
        `GET ${random.pick(['/healthz', '/v2/farcaster/user/bulk?fids=1', '/%', '/v1/info', '/nothing'])} HTTP/1.1\r\n${key}${n === count - 1 ? closing : '\r\n'}`,
    )
    return { about: `pipeline of ${count}`, answers: count, pieces: [requests.join('')] }
  },
  (_random, _path, key) => ({
    about: 'pipeline after a body',
    answers: 2,
    pieces: [`${post(key, 'content-length: 2\r\n\r\n')}{}GET /healthz HTTP/1.1\r\n${key}${closing}`],
  }),
  (_random, _path, key) => ({
    about: 'pipeline with a bad second request',
    pieces: [`GET /healthz HTTP/1.1\r\n${key}\r\nBROKEN\r\n\r\n`],
  }),
  (random, path, key) => ({
    about: 'method',
    pieces: [
      `${random.pick(['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'PUT', 'DELETE', 'PATCH', 'QUERY'])} ${path} HTTP/1.1\r\n${key}${closing}`,
    ],
  }),
  (random, _path, key) => ({
    about: 'body over the limit',
    pieces: [post(key, `content-length: ${random.pick([1_100_000, 999_999_999])}\r\n${closing}`)],
  }),
  (random, _path, key) => ({
    about: 'expectation',
    pieces: [
      post(key, `content-length: 2\r\nexpect: ${random.pick(['100-continue', 'x'])}\r\n${closing}`),
      '{}',
    ],
  }),
  (random, path, key) => ({
    about: 'upgrade',
    pieces: [
      `GET ${path} HTTP/1.1\r\n${key}upgrade: ${random.pick(['websocket', 'h2c', 'x'])}\r\nconnection: upgrade, close\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    ],
  }),
  (random) => ({
    about: 'connect',
    pieces: [`CONNECT ${random.pick(['127.0.0.1:1', 'x', '/'])} HTTP/1.1\r\nhost: x\r\n\r\n`],
    answers: 0,
  }),
  (random) => ({ about: 'noise', isAbandoned: true, pieces: [random.bytes(random.between(1, 400))] }),
  () => ({ about: 'TLS', pieces: [Buffer.from('16030100c8010000c40303', 'hex')] }),
]

const rawCases: readonly MakeCase[] = [...partialCases, ...framingCases, ...sizeCases]

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'

/** Bytes for the gRPC port. There is nothing that it has to answer: it must go on. */
function grpcBytes(random: Random): RawRequest {
  const settings = Buffer.from('000000040000000000', 'hex')
  const http2Frame = (type: number, flags: number, stream: number, payload: Buffer) => {
    const head = Buffer.alloc(9)
    head.writeUIntBE(payload.length, 0, 3)
    head[3] = type
    head[4] = flags
    head.writeUInt32BE(stream, 5)
    return Buffer.concat([head, payload])
  }
  const pieces = random.pick<() => (string | Buffer)[]>([
    () => [random.bytes(random.between(1, 200))],
    () => ['GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
    () => [PREFACE.slice(0, random.between(1, PREFACE.length - 1))],
    () => [PREFACE, settings, random.bytes(random.between(9, 60))],
    () => [
      PREFACE,
      settings,
      http2Frame(random.below(12), random.below(256), random.below(6), random.bytes(random.below(40))),
    ],
    () => [PREFACE, settings, http2Frame(0, 0, 1, Buffer.alloc(10))],
    () => [PREFACE, settings, http2Frame(8, 0, 0, Buffer.alloc(4))],
    () => [PREFACE, settings, http2Frame(1, 4, 1, random.bytes(30))],
    () => [
      PREFACE,
      settings,
      ...Array.from({ length: 50 }, (_, n) => http2Frame(3, 0, n * 2 + 1, Buffer.alloc(4))),
    ],
  ])()
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece))
  return { via: 'raw', port: 'grpc', about: 'HTTP/2 frames', pieces: bytes, isAbandoned: true, answers: 0 }
}
