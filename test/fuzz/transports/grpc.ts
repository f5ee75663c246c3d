import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { GrpcRequest } from '../generator/requests.js'
import { ANSWER_LIMIT_MS } from './http.js'

/** How a call ended. */
export interface GrpcAnswer {
  /** Status of HTTP; undefined where the stream was reset before. */
  readonly httpStatus: number | undefined
  /** Status of gRPC; undefined where there was none. */
  readonly status: number | undefined
  readonly message: string
  readonly body: Buffer
  /** Error code of HTTP/2. */
  readonly resetCode: number
}

/** Calls a connection takes before it is exchanged, as clients come and go. */
const CALLS_PER_CONNECTION = 200

/** Makes gRPC calls with frames that no client library would write. */
export class GrpcTransport {
  #session: ClientHttp2Session | undefined
  #calls = 0

  constructor(private readonly url: string) {}

  /** Makes a call, and waits until its stream is closed. A subscription is left when it has begun. */
  async call({ path, headers, body, method }: GrpcRequest): Promise<GrpcAnswer> {
    const session = this.#open()
    return await new Promise((resolve, reject) => {
      const stream = session.request({ ':method': 'POST', ':path': path, ...headers }, { endStream: false })
      const received: Buffer[] = []
      let httpStatus: number | undefined
      let found: Readonly<Record<string, unknown>> = {}
      stream.setTimeout(ANSWER_LIMIT_MS, () => {
        stream.close(constants.NGHTTP2_CANCEL)
        reject(new Error('no answer in time'))
      })
      stream.on('response', (answer) => {
        httpStatus = Number(answer[':status'])
        found = answer
        if (method === 'subscribe' && answer['grpc-status'] === undefined)
          stream.close(constants.NGHTTP2_CANCEL)
      })
      stream.on('trailers', (trailers) => {
        found = { ...found, ...trailers }
      })
      stream.on('data', (chunk: Buffer) => received.push(chunk))
      // A reset is an answer, too: `close` says it.
      stream.on('error', () => {})
      stream.on('close', () => {
        const status = found['grpc-status']
        resolve({
          httpStatus,
          status: status === undefined ? undefined : Number(status),
          message: String(found['grpc-message'] ?? ''),
          body: Buffer.concat(received),
          resetCode: stream.rstCode,
        })
      })
      stream.end(body)
    })
  }

  /** Destroys the connection. */
  close(): void {
    this.#session?.destroy()
  }

  #open(): ClientHttp2Session {
    const current = this.#session
    this.#calls += 1
    const isOpen = current && !current.closed && !current.destroyed
    if (isOpen && this.#calls % CALLS_PER_CONNECTION !== 0) return current
    // Calls that it has begun are finished.
    current?.close()
    const session = connect(this.url)
    this.#session = session
    // Calls on it fail, each with its own error.
    session.on('error', () => {})
    return session
  }
}
