import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A received delivery. */
export interface ReceivedDelivery {
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly body: ReturnType<typeof JSON.parse>
  readonly atMs: number
}

/** A webhook receiver on loopback. */
export interface Receiver {
  readonly url: string
  readonly received: ReceivedDelivery[]
  /** Waits until this many have arrived. */
  waitForCount(count: number): Promise<ReceivedDelivery[]>
}

const WAIT_MS = 300_000

/** Starts a receiver that stops with the test. `answer` writes the response; the default is 200. */
export async function startReceiver(
  answer: (response: ServerResponse, received: ReceivedDelivery) => void = (response) => response.end(),
): Promise<Receiver> {
  const received: ReceivedDelivery[] = []
  const waiters = new Set<() => void>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString()
      const delivery = { headers: request.headers, raw, body: JSON.parse(raw), atMs: Date.now() }
      received.push(delivery)
      for (const checkCount of waiters) checkCount()
      answer(response, delivery)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    received,
    waitForCount: (count) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiters.delete(checkCount)
          reject(new Error(`${received.length} of ${count} deliveries arrived`))
        }, WAIT_MS)
        function checkCount(): void {
          if (received.length < count) return
          clearTimeout(timer)
          waiters.delete(checkCount)
          resolve(received)
        }
        waiters.add(checkCount)
        checkCount()
      }),
  }
}
