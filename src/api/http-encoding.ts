import { hash } from 'node:crypto'
import { pipeline, Transform, type TransformCallback } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { errorCodes, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { PlazaError } from '../platform/errors.js'
import { LongReply } from '../platform/http/long-reply.js'
import { createQueue } from '../platform/process/queue.js'

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
      // A text, even an empty one, would get a `Content-Length` of 0, which says that the page has none (RFC 9110 §8.6).
      return null
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
  // A tag is for a cache that asks before it uses a reply.
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

type Unpack = (packed: Buffer, options: zlib.ZlibOptions & zlib.BrotliOptions) => Promise<Buffer>

const unpackers = new Map<string, Unpack>([
  ['gzip', promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)],
  ['x-gzip', promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip)],
  ['br', promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress)],
  ['deflate', promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate)],
])

/** Bodies that are unpacked at once, as many as there are threads for it. Each takes memory up to the limit of a body. */
const MAX_UNPACKING = 4
const inTurn = createQueue(MAX_UNPACKING)
/** Bytes that leave the thread at a time. */
const CHUNK_BYTES = 64 * 1024

/**
 * A body that is unpacked when all of it has come, and no further than its limit. Unpacked as it comes, a kilobyte that never
 * ends would hold megabytes; and a decoder that nobody reads any more goes on with what it has: 16 kB of brotli are up to 10 GB.
 */
class PackedBody extends Transform {
  /** Fastify compares it with `Content-Length`. */
  receivedEncodedLength = 0
  readonly #unpack: Unpack
  readonly #limit: number
  readonly #chunks: Buffer[] = []

  constructor(unpack: Unpack, limit: number) {
    super()
    this.#unpack = unpack
    this.#limit = limit
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    this.receivedEncodedLength += chunk.length
    if (this.receivedEncodedLength > this.#limit) {
      done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
      return
    }
    this.#chunks.push(chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    const options = { maxOutputLength: this.#limit, chunkSize: CHUNK_BYTES }
    inTurn(() => this.#unpack(Buffer.concat(this.#chunks), options)).then(
      (body) => done(null, body),
      (error: NodeJS.ErrnoException) => done(unpackingError(error)),
    )
  }
}

function unpackingError(error: NodeJS.ErrnoException): Error {
  if (error.code === 'ERR_BUFFER_TOO_LARGE') return new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
  return new PlazaError('bad_request.invalid_param', 'body does not unpack by its content-encoding', {
    property: 'body',
    cause: error,
  })
}

async function decodeBody(
  request: FastifyRequest,
  _reply: FastifyReply,
  body: NodeJS.ReadableStream,
): Promise<NodeJS.ReadableStream> {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return body
  const unpack = unpackers.get(encoding)
  if (!unpack) {
    throw new PlazaError('bad_request.invalid_param', 'content-encoding must be gzip, br or deflate', {
      property: 'content-encoding',
    })
  }
  const packed = new PackedBody(unpack, request.routeOptions.bodyLimit)
  // A reader of the body gets the error as well. A body that is refused unread, such as one of another content type,
  // has no reader, and an error without a listener ends the process.
  packed.on('error', () => {})
  body.on('error', (error) => packed.destroy(error))
  return body.pipe(packed)
}
