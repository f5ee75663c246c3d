import type { Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { NetFailureError, netFailure } from './net-failure.js'

/** Encodings that `readBody` decompresses, as value of Accept-Encoding. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

/** Maximum overhead of a compressed body over its content. */
const COMPRESSED_EXTRA_BYTES = 65_536

/** The requested part of a body. */
export interface Body {
  /** The decompressed content. */
  readonly bytes: Uint8Array
  /** True if there was more, or may have been. */
  readonly isTruncated: boolean
}

/**
 * Reads up to `maxBytes` of a response's body, counted after decompression. An endless body, or a small one
 * that inflates to gigabytes, takes no more memory than that. A stream with unread data is destroyed.
 */
export async function readBody(source: Readable, encoding: string, maxBytes: number): Promise<Body> {
  // An abandoned stream emits an error that nobody handles.
  source.on('error', () => {})
  if (maxBytes === 0) {
    source.destroy()
    return { bytes: new Uint8Array(), isTruncated: true }
  }
  try {
    const decoder = decoderOf(encoding)
    if (decoder === null) return await collect(source, maxBytes)
    return await collect(decompress(source, decoder, maxBytes + COMPRESSED_EXTRA_BYTES), maxBytes)
  } finally {
    source.destroy()
  }
}

/** Reads what comes of a body, up to `maxBytes`. One that is cut off, or does not end in time, is no error. */
export async function readPartOfBody(source: Readable, maxBytes: number): Promise<Body> {
  source.on('error', () => {})
  const chunks: Uint8Array[] = []
  try {
    return await collect(source, maxBytes, chunks)
  } catch {
    return { bytes: Buffer.concat(chunks), isTruncated: true }
  } finally {
    source.destroy()
  }
}

/** @param chunks Gets what has come, also of a body that then fails. */
async function collect(stream: Readable, maxBytes: number, chunks: Uint8Array[] = []): Promise<Body> {
  let length = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    chunks.push(chunk.subarray(0, maxBytes - length))
    length += chunk.length
    // Leaving the loop destroys the stream.
    if (length > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks), isTruncated: length > maxBytes }
}

/** Also limits the input of the decoder: an endless body may decompress to nothing. */
function decompress<D extends Readable & NodeJS.WritableStream>(
  source: Readable,
  decoder: D,
  maxCompressedBytes: number,
): D {
  let compressed = 0
  source.on('error', (error) => {
    if (compressed <= maxCompressedBytes) decoder.destroy(error)
  })
  source.pipe(decoder)
  // After the pipe's own listener, so that the decoder gets this chunk before its end.
  source.on('data', (chunk: Uint8Array) => {
    compressed += chunk.length
    if (compressed <= maxCompressedBytes) return
    source.unpipe(decoder)
    decoder.end()
    source.destroy()
  })
  return decoder
}

function decoderOf(encoding: string) {
  // Like browsers, keep what arrived of an interrupted stream.
  const lenientDecoder = { finishFlush: constants.Z_SYNC_FLUSH }
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null
    case 'gzip':
    case 'x-gzip':
      return createGunzip(lenientDecoder)
    case 'deflate':
      return createInflate(lenientDecoder)
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH })
    default:
      throw new NetFailureError(netFailure('encoding', `content-encoding ${encoding} is not known`))
  }
}
