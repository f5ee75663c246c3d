import { hash } from 'node:crypto'
import { pipeline } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import { LongReply } from '../platform/limits/long-reply.js'

/** Optional parts of HTTP that the server supports. */
export interface HttpEncodingOptions {
  /** Compresses replies by `Accept-Encoding`. */
  readonly compressReplies: boolean
  /** Sends weak entity tags, and 304 for `If-None-Match`. */
  readonly etags: boolean
  /** Takes request bodies with `Content-Encoding: gzip`, `br` or `deflate`. */
  readonly compressedRequests: boolean
}

/** Shorter replies fit into one packet of a network anyway. */
const MIN_COMPRESSED_BYTES = 1024
/** Longer ones are compressed beside the main thread, whose hand-over costs 0.05 ms. */
const MAX_INLINE_BYTES = 128 * 1024

/**
 * The fastest levels: a page of 42 kB takes 0.13 ms and 4.9 kB with brotli 1, 0.2 ms and 5.2 kB with gzip 1. Brotli
 * 4 takes three times as long for a tenth less (docs/performance.md).
 */
const brotliOptions = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }
const gzipOptions = { level: 1 }

type Encoding = 'br' | 'gzip'

const compressible = /^(application\/(json|javascript|openapi\+json)|text\/|image\/svg)/

/** Adds compression of both directions and entity tags to all routes whose replies are texts or buffers. */
export function encodeHttp(app: FastifyInstance, options: HttpEncodingOptions): void {
  if (options.compressedRequests) app.addHook('preParsing', decodeBody)
  if (!options.compressReplies && !options.etags) return
  app.addHook('onSend', async (request, reply, payload) => {
    if (payload instanceof LongReply)
      return options.compressReplies ? compressLong(request, reply, payload) : payload
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    if (options.etags && matchesTag(request, reply, payload)) {
      reply.removeHeader('content-type')
      reply.status(304)
      return ''
    }
    return options.compressReplies ? await compress(request, reply, payload) : payload
  })
}

/**
 * Tags a successful reply of a GET, and says whether the client has the same already. The tag is of the reply before
 * compression, and weak: it holds for every encoding.
 */
function matchesTag(request: FastifyRequest, reply: FastifyReply, payload: string | Buffer): boolean {
  if (request.method !== 'GET' || reply.statusCode !== 200 || reply.hasHeader('etag')) return false
  // SHA-1 of 42 kB takes 0.03 ms; the tag names a version and protects nothing. To hash digests of the page's pieces, kept with
  // them, took 12 to 19 % more of a page: it looks all over the memory once more, while the copied page is in the cache.
  const tag = `W/"${hash('sha1', payload, 'base64url')}"`
  reply.header('etag', tag)
  // A reply depends on the key and changes with every cast: a cache asks before it uses one.
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
  const known = request.headers['if-none-match']
  if (known === undefined) return false
  const opaque = tag.slice(2)
  return known.trim() === '*' || known.split(',').some((each) => each.trim().replace(/^W\//, '') === opaque)
}

async function compress(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: string | Buffer,
): Promise<string | Buffer> {
  const encoding = payload.length < MIN_COMPRESSED_BYTES ? null : chooseEncoding(request, reply)
  if (encoding === null) return payload
  if (payload.length <= MAX_INLINE_BYTES) return compressors[encoding].inline(payload)
  return await compressors[encoding].beside(payload)
}

/** Compresses as the reply is sent. It has no tag: that would take as long as the reply. */
function compressLong(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: LongReply,
): NodeJS.ReadableStream {
  const encoding = chooseEncoding(request, reply)
  if (encoding === null) return payload
  // A client that leaves ends the reply, and with it both.
  return pipeline(payload, compressors[encoding].stream(), () => {})
}

/** Sets the headers of the encoding that the client likes best; null for none. */
function chooseEncoding(request: FastifyRequest, reply: FastifyReply): Encoding | null {
  if (reply.hasHeader('content-encoding')) return null
  if (!compressible.test(String(reply.getHeader('content-type')))) return null
  reply.header('vary', 'accept-encoding')
  const encoding = preferredEncoding(request.headers['accept-encoding'])
  if (encoding === null) return null
  reply.header('content-encoding', encoding)
  reply.removeHeader('content-length')
  return encoding
}

const brotliBeside = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliCompress)
const gzipBeside = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip)
const compressors = {
  br: {
    inline: (payload: string | Buffer) => zlib.brotliCompressSync(payload, brotliOptions),
    beside: (payload: string | Buffer) => brotliBeside(payload, brotliOptions),
    stream: () => zlib.createBrotliCompress(brotliOptions),
  },
  gzip: {
    inline: (payload: string | Buffer) => zlib.gzipSync(payload, gzipOptions),
    beside: (payload: string | Buffer) => gzipBeside(payload, gzipOptions),
    stream: () => zlib.createGzip(gzipOptions),
  },
} as const

/** The encoding that an `Accept-Encoding` likes best (RFC 9110 §12.5.3), brotli among equals; null for none. */
export function preferredEncoding(header: string | string[] | undefined): Encoding | null {
  const weights = new Map<string, number>()
  for (const part of String(header ?? '').split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2) ?? '1'
    weights.set(name, Number(weight) || 0)
  }
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0
  const best = weightOf('gzip') > weightOf('br') ? 'gzip' : 'br'
  return weightOf(best) > 0 ? best : null
}

const decoders = new Map<string, () => zlib.Gunzip | zlib.BrotliDecompress | zlib.Inflate>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['br', () => zlib.createBrotliDecompress()],
  ['deflate', () => zlib.createInflate()],
])

/** Fastify counts the bytes that leave the decoder against the limit of the body, and stops it there. */
async function decodeBody(
  request: FastifyRequest,
  _reply: FastifyReply,
  body: NodeJS.ReadableStream,
): Promise<NodeJS.ReadableStream> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return body
  const decoder = decoders.get(encoding)?.()
  if (!decoder) {
    throw new PlazaError('bad_request.invalid_param', 'content-encoding must be gzip, br or deflate', {
      property: 'content-encoding',
    })
  }
  const counted = Object.assign(decoder, { receivedEncodedLength: 0 })
  body.on('data', (chunk: Buffer) => {
    counted.receivedEncodedLength += chunk.length
  })
  // A reader of the body gets the error as well. A body that is refused unread, such as one of another content type,
  // has no reader, and an error without a listener ends the process.
  decoder.on('error', () => {})
  body.on('error', (error) => decoder.destroy(error))
  return body.pipe(counted)
}
