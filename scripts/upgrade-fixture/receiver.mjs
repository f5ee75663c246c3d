import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * Starts a receiver of webhooks and notifications on loopback. `/client` is the client app of mini app tokens; other paths answer
 * with their status of `answers`, else 200.
 */
export async function startReceiver(answers = {}) {
  const received = []
  const server = createServer(async (request, response) => {
    let raw = ''
    for await (const chunk of request) raw += chunk
    const body = JSON.parse(raw)
    received.push({ path: request.url, headers: request.headers, raw, body })
    if (request.url === '/client') {
      const { tokens } = body
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ result: { successfulTokens: tokens, invalidTokens: [], rateLimitedTokens: [] } }),
      )
      return
    }
    response.statusCode = answers[request.url] ?? 200
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: server.address().port,
    received,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
