import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A response as sent over the wire. */
export interface RecordedResponse {
  readonly method: string
  /** Path and query of the request. */
  readonly url: string
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

/** A proxy that records a server's responses. */
export interface RecordingProxy {
  readonly url: string
  readonly responses: readonly RecordedResponse[]
}

/** Starts a proxy on loopback that stops with the test. */
export async function startRecordingProxy(serverUrl: string): Promise<RecordingProxy> {
  const { hostname, port } = new URL(serverUrl)
  const responses: RecordedResponse[] = []
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    const forwarded = forward({ hostname, port, method, path: url, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        const status = response.statusCode ?? 0
        responses.push({ method, url, status, headers: response.rawHeaders, body: body.toString() })
        outgoing.writeHead(status, response.rawHeaders).end(body)
      })
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, responses }
}
