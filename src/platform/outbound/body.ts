import type { Readable } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { NetFailureError, netFailure } from './net-failure.js'

/** The codings that `readBody` undoes, as a request offers them. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

/** Compression that does not compress costs a few bytes more than what it holds, and never more than these. */
const COMPRESSED_EXTRA_BYTES = 65_536

/** As much of a body as was asked for. */
export interface Body {
  /** What was sent, decompressed. */
  readonly bytes: Uint8Array
  /** True when there was more, or may have been. */
  readonly isTruncated: boolean
}

/**
 * Reads a response's body up to `maxBytes`, counted after decompression, and leaves the rest where it is:
 * neither an endless body nor a small one that inflates to gigabytes takes more memory than that. The stream
 * is destroyed if it was not read to its end.
 */
export async function readBody(source: Readable, encoding: string, maxBytes: number): Promise<Body> {
  // A stream that is given up emits an error, with nobody left to hear it.
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

async function collect(stream: Readable, maxBytes: number): Promise<Body> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    chunks.push(chunk.subarray(0, maxBytes - length))
    length += chunk.length
    // Leaving the loop destroys the stream.
    if (length > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks), isTruncated: length > maxBytes }
}

/** The decoder counts its input too: a body that decompresses to nothing, for ever, is also endless. */
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
  // As browsers do: what arrived of a stream that was broken off is still worth reading.
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
