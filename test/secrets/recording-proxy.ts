import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** An answer as it went over the wire. */
export interface RecordedAnswer {
  readonly method: string
  /** Path and query, as they were asked for. */
  readonly url: string
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

/** Stands before a server and keeps what it answers. */
export interface RecordingProxy {
  readonly url: string
  readonly answers: readonly RecordedAnswer[]
}

/** Listens on loopback until the test is over. */
export async function startRecordingProxy(serverUrl: string): Promise<RecordingProxy> {
  const { hostname, port } = new URL(serverUrl)
  const answers: RecordedAnswer[] = []
  const proxy = createServer((incoming, outgoing) => {
    const { method = '', url = '', headers } = incoming
    const asked = forward({ hostname, port, method, path: url, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        const body = Buffer.concat(chunks)
        const status = answer.statusCode ?? 0
        answers.push({ method, url, status, headers: answer.rawHeaders, body: body.toString() })
        outgoing.writeHead(status, answer.rawHeaders).end(body)
      })
    })
    asked.on('error', () => outgoing.destroy())
    incoming.pipe(asked)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, answers }
}
