import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request to a client app (docs/protocol.md §8.3). */
export interface NotifyRequest {
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
  readonly tokens: readonly string[]
}

/** Answers a request. */
export type ClientResponse = (request: NotifyRequest, response: ServerResponse) => void

/** A client app on loopback that receives notifications. */
export interface ClientSimulator {
  /** Returns its URL; the path may tell several clients apart. */
  url(path?: string): string
  /** All requests in order of arrival. */
  readonly requests: NotifyRequest[]
  /** Number of requests per token. */
  notificationCounts(): Map<string, number>
  /** Most concurrent requests so far. */
  maxConcurrentRequests(): number
  /** Sets the behavior of later requests. */
  setResponse(respond: ClientResponse): void
}

/** Reports success for all tokens. */
export const acceptAll: ClientResponse = ({ tokens }, response) => {
  answerWith(response, { successfulTokens: tokens })
}

/** Responds with the given lists below `result`, as the protocol's schema has it. */
export function answerWith(
  response: ServerResponse,
  lists: {
    readonly successfulTokens?: readonly string[]
    readonly invalidTokens?: readonly string[]
    readonly rateLimitedTokens?: readonly string[]
    readonly failedTokens?: readonly { readonly token: string; readonly reason: string }[]
  },
): void {
  const result = { successfulTokens: [], invalidTokens: [], rateLimitedTokens: [], ...lists }
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ result }))
}

/** Starts a client that stops with the test. */
export async function startClient(respond: ClientResponse = acceptAll): Promise<ClientSimulator> {
  let currentResponse = respond
  let open = 0
  let maxOpen = 0
  const requests: NotifyRequest[] = []
  const server = createServer((request, response) => {
    open += 1
    maxOpen = Math.max(maxOpen, open)
    response.on('close', () => {
      open -= 1
    })
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const notification = JSON.parse(Buffer.concat(chunks).toString()) as NotifyRequest
      requests.push(notification)
      currentResponse(notification, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: (path = 'notify') => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`,
    requests,
    notificationCounts() {
      const counts = new Map<string, number>()
      for (const token of requests.flatMap(({ tokens }) => tokens)) {
        counts.set(token, (counts.get(token) ?? 0) + 1)
      }
      return counts
    },
    maxConcurrentRequests: () => maxOpen,
    setResponse(newResponse) {
      currentResponse = newResponse
    },
  }
}
