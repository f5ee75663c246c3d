import { Agent, type IncomingHttpHeaders, request as openRequest } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { HttpRequest } from '../generator/requests.js'

/** An answer over HTTP. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Decompressed. Empty where the connection was left: an event stream never ends. */
  readonly body: Buffer
}

/** Longer than the server's own limit of any request. */
export const ANSWER_LIMIT_MS = 90_000
const MAX_CONNECTIONS = 32

/** Sends well-formed HTTP requests to a server. */
export class HttpTransport {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS })

  constructor(private readonly url: URL) {}

  /**
   * Sends a request and reads the answer.
   *
   * @throws Error where there is none. A connection that the server has just closed is not used again: such a request is
   *   sent once more.
   */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    return await this.#send(request, this.#agent).catch((failure: NodeJS.ErrnoException) => {
      if (failure.code !== 'ECONNRESET' && failure.code !== 'EPIPE') throw failure
      return this.#send(request, false)
    })
  }

  /** Destroys all connections. */
  close(): void {
    this.#agent.destroy()
  }

  #send({ method, path, headers, body }: HttpRequest, agent: Agent | false): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.url
      const lengths = body === null ? {} : { 'content-length': String(body.length) }
      const sent = openRequest(
        { hostname, port, agent, method, path, headers: { ...headers, ...lengths } as IncomingHttpHeaders },
        (response) => {
          const { statusCode: status = 0 } = response
          if (response.headers['content-type']?.startsWith('text/event-stream')) {
            resolve({ status, headers: response.headers, body: Buffer.alloc(0) })
            sent.destroy()
            return
          }
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            try {
              const bytes = Buffer.concat(chunks)
              const encoding = method === 'HEAD' ? undefined : response.headers['content-encoding']
              resolve({ status, headers: response.headers, body: decompressed(bytes, encoding) })
            } catch (error) {
              reject(error as Error)
            }
          })
        },
      )
      sent.setTimeout(ANSWER_LIMIT_MS, () => sent.destroy(new Error('no answer in time')))
      sent.on('error', reject)
      sent.end(body ?? undefined)
    })
  }
}

function decompressed(bytes: Buffer, encoding: string | undefined): Buffer {
  if (encoding === 'br') return brotliDecompressSync(bytes)
  return encoding === 'gzip' ? gunzipSync(bytes) : bytes
}
