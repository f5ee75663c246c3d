import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'

/** An RPC proxy that can fail. */
export interface FailingRpc {
  readonly url: string
  /** Fails every n-th call, this many times: in turn with an error, after the call, and without an answer. */
  fail(every: number, times: number): void
}

/** Starts one in front of a chain, for the file that calls it. */
export async function startFailingRpc(target: string): Promise<FailingRpc> {
  let every = 1
  let left = 0
  let calls = 0
  const server = createServer((request, response) => {
    // The client may hang up, and the target may be gone.
    answer(request, response).catch(() => response.destroy())
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    calls += 1
    const isFailing = left > 0 && calls % every === 0
    if (isFailing) left -= 1
    if (isFailing && left % 3 === 0) return void response.destroy()
    if (isFailing && left % 3 === 1) return void response.writeHead(503).end('away')
    const reply = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(parts),
    })
    const body = await reply.text()
    if (isFailing) return void response.destroy()
    response.writeHead(reply.status, { 'content-type': 'application/json' }).end(body)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fail: (number, times) => {
      every = number
      left = times
    },
  }
}
