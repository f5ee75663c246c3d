import { connect } from 'node:net'
import type { RawRequest } from '../generator/requests.js'

/** The server's own limit of a head is 15 s; no body is begun that it would wait for longer. */
const SILENCE_LIMIT_MS = 25_000

/** Writes the pieces on a connection of their own, and returns all bytes that came back until it was closed. */
export function sendRaw({ pieces, isAbandoned }: RawRequest, port: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = []
    const socket = connect({ host: '127.0.0.1', port })
    socket.setTimeout(SILENCE_LIMIT_MS, () => {
      const text = Buffer.concat(received).toString('latin1', 0, 60)
      socket.destroy(new Error(`the connection was not closed after ${JSON.stringify(text)}`))
    })
    socket.on('data', (chunk) => received.push(chunk))
    // The server may close before it has read everything.
    socket.on('error', (failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'ECONNRESET' && failure.code !== 'EPIPE') reject(failure)
    })
    socket.on('close', () => resolve(Buffer.concat(received)))
    socket.on('end', () => socket.end())
    const writeNext = (n: number): void => {
      const piece = pieces[n]
      if (socket.destroyed) return
      if (piece !== undefined) socket.write(piece, () => setImmediate(writeNext, n + 1))
      else if (isAbandoned) socket.end(() => socket.destroy())
    }
    socket.on('connect', () => writeNext(0))
  })
}

/** An answer among raw bytes. */
export interface RawAnswer {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

/**
 * Splits bytes into answers.
 *
 * @param isBodiless True for answers to HEAD, whose length is that of a body which is not there.
 * @throws Error where they are not HTTP.
 */
export function parseAnswers(bytes: Buffer, isBodiless: boolean): RawAnswer[] {
  const answers: RawAnswer[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at)
    const head = bytes.toString('latin1', at, end === -1 ? bytes.length : end)
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? []
    if (status === undefined || end === -1) throw new Error(`not an answer of HTTP: ${head.slice(0, 200)}`)
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    const [, type = ''] = /^content-type: *(.*)$/im.exec(head) ?? []
    const start = end + 4
    const isChunked = /^transfer-encoding: *chunked/im.test(head)
    const stop = isBodiless ? start : isChunked ? endOfChunks(bytes, start) : start + length
    if (stop > bytes.length) throw new Error('an answer is cut off')
    answers.push({
      status: Number(status),
      type,
      body: isChunked ? Buffer.alloc(0) : bytes.subarray(start, stop),
    })
    at = stop
  }
  return answers
}

function endOfChunks(bytes: Buffer, start: number): number {
  const end = bytes.indexOf('0\r\n\r\n', start)
  if (end === -1) throw new Error('an answer ends within a chunk')
  return end + 5
}
