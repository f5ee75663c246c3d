import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

/** What a client is told whose bytes are no request: there is no path yet, and so no route to ask. */
const problems: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'RequestTimeout', 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'HeadersTooLarge', 'the headers are longer than 16 kB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'TooLarge', 'the extensions of a chunk are too long'],
}
const malformed = [400, 'MalformedRequest', 'this is not a valid HTTP/1.1 request'] as const

/** Answers a failure of the HTTP parser with the error body of the API, and closes the connection. */
export function answerConnectionError(failure: Error & { readonly code?: string }, socket: Socket): void {
  if (failure.code === 'ECONNRESET' || socket.destroyed) return
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const [status, code, message] = problems[failure.code ?? ''] ?? malformed
  const body = JSON.stringify({ message, code, status })
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
