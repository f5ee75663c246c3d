import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Random } from '../../fidelity/generator/random.js'
import { hostileText } from './hostile-values.js'

/** Encodes every byte that a request line cannot hold. Lone surrogates become bytes that are no UTF-8. */
export function percentEncoded(text: string): string {
  return [...text]
    .map((character) => (/[\w.~-]/.test(character) ? character : encodedCharacter(character)))
    .join('')
}

function encodedCharacter(character: string): string {
  const unit = character.charCodeAt(0)
  const isLoneSurrogate = character.length === 1 && unit >= 0xd800 && unit <= 0xdfff
  const bytes = isLoneSurrogate
    ? [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]
    : [...Buffer.from(character)]
  return bytes.map(hexOf).join('')
}

function hexOf(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`
}

/** Sequences that decode to no UTF-8, or to nothing. */
const brokenEncodings = [
  ...[
    '%',
    '%2',
    '%zz',
    '%c0%80',
    '%c0%af',
    '%ed%a0%80',
    '%f8%88%80%80%80',
    '%ff',
    '%00',
    '%e2%82',
    '%25%32%35',
  ],
  ...['+', '%20', ';', '&', '&&', '=', '==', '?', '%0d%0ax-a:%20b', '[]', '[0]', '%u0041', '%F0%9F'],
]

/** Breaks the encoding of one place of a path or query. */
export function withBrokenEncoding(random: Random, path: string): string {
  const at = random.between(1, path.length)
  return `${path.slice(0, at)}${random.pick(brokenEncodings)}${path.slice(at)}`
}

/** A query string; a list is written with commas or by repeating the parameter. */
export function queryString(random: Random, query: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return []
    const texts = (Array.isArray(value) ? value : [value]).map(textOf)
    const isRepeated = Array.isArray(value) && random.chance(30)
    return (isRepeated ? texts : [texts.join(',')]).map(
      (text) => `${percentEncoded(name)}=${percentEncoded(text)}`,
    )
  })
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

const contentTypes = [
  ...[
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
  ],
  ...[
    'application/json; charset=utf-16',
    'application/json;',
    'APPLICATION/JSON',
    'application/vnd.api+json',
    '*/*',
  ],
  ...['application/json, text/plain', 'x', 'application/octet-stream', 'application/json; charset="', '/'],
]

/** Headers that a server reads, with values that it should not trust. */
const readHeaders = [
  ...[
    'accept',
    'accept-encoding',
    'if-none-match',
    'origin',
    'referer',
    'user-agent',
    'cookie',
    'range',
    'expect',
  ],
  ...[
    'x-forwarded-proto',
    'x-forwarded-host',
    'forwarded',
    'x-request-id',
    'prefer',
    'last-event-id',
    'x-wallet-id',
  ],
  ...[
    'authorization',
    'x-service-experimental',
    'access-control-request-headers',
    'content-language',
    'te',
    'via',
  ],
]

/** Adds a header with a hostile value. */
export function withHostileHeader(
  random: Random,
  headers: Readonly<Record<string, string | readonly string[]>>,
): Record<string, string | readonly string[]> {
  const value = () => headerText(hostileText(random)).slice(0, 4_000)
  const name = random.pick(readHeaders)
  if (name === 'expect') return { ...headers, expect: '100-continue' }
  return { ...headers, [name]: random.chance(20) ? [value(), value()] : value() }
}

/** What a header line can hold. */
export function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').trim()
}

/** A body with another content type, or another encoding than its header says. */
export function encodedBody(
  random: Random,
  body: Buffer,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  switch (random.below(8)) {
    case 0:
      return { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body) }
    case 1:
      return { headers: { 'content-encoding': 'br' }, body: brotliCompressSync(body) }
    case 2:
      return { headers: { 'content-encoding': 'deflate' }, body: deflateSync(body) }
    case 3:
      return { headers: { 'content-encoding': random.pick(['gzip', 'br', 'deflate']) }, body }
    case 4:
      return { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body).subarray(0, 12) }
    case 5:
      return { headers: { 'content-encoding': random.pick(['zstd', 'gzip, br', 'x', 'identity']) }, body }
    case 6:
      // Unpacks to far more than any limit.
      return { headers: { 'content-encoding': 'gzip' }, body: bomb }
    default:
      return { headers: { 'content-type': random.pick(contentTypes) }, body }
  }
}

const BOMB_BYTES = 24 * 1024 * 1024
const bomb = gzipSync(Buffer.alloc(BOMB_BYTES, 0x20))
