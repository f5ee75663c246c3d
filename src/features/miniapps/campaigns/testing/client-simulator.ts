import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a client app is asked (docs/protocol.md §8.3). */
export interface NotifyRequest {
  readonly notificationId: string
  readonly title: string
  readonly body: string
  readonly targetUrl: string
  readonly tokens: readonly string[]
}

/** Answers a request, or does whatever else clients do. */
export type ClientResponse = (request: NotifyRequest, response: ServerResponse) => void

/** A client app on loopback that takes notifications. */
export interface ClientSimulator {
  /** Its URL; several may be told apart by a path. */
  url(path?: string): string
  /** All that it was asked, in the order of arrival. */
  readonly requests: NotifyRequest[]
  /** How often each token was named. */
  notificationCounts(): Map<string, number>
  /** Most requests that were under way at once. */
  maxConcurrentRequests(): number
  /** Behaves like this from now on. */
  setResponse(respond: ClientResponse): void
}

/** Says that everybody was told. */
export const acceptAll: ClientResponse = ({ tokens }, response) => {
  answerWith(response, { successfulTokens: tokens })
}

/** Answers with the lists that are given, below `result` as the schema of the protocol has it. */
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

/** Listens until the test is over. */
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
