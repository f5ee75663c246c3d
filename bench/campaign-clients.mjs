import { createServer } from 'node:http'

// Client apps in a process of their own: `node campaign-clients.mjs HOSTS DELAY_MS`. Each listens on a port and says
// after the delay that everybody was told. It prints the ports, and for each line on stdin how many tokens came, in how
// many requests, and how many of them came twice. `reset` forgets them.

const hosts = Number(process.argv[2] ?? 5)
const delayMs = Number(process.argv[3] ?? 20)
let tokens = 0
let requests = 0
/** By the number that ends each token: a bit each. */
let seen = new Uint8Array(0)
let doubles = 0

function take(body) {
  requests += 1
  for (const token of body.tokens) {
    const number = Number(token.slice(token.lastIndexOf(' ') + 1))
    if (number >= seen.length) {
      const larger = new Uint8Array(Math.max(number + 1, seen.length * 2))
      larger.set(seen)
      seen = larger
    }
    if (seen[number] === 1) doubles += 1
    seen[number] = 1
    tokens += 1
  }
}

const servers = Array.from({ length: hosts }, () => {
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString())
      take(body)
      const answer = JSON.stringify({
        result: { successfulTokens: body.tokens, invalidTokens: [], rateLimitedTokens: [] },
      })
      setTimeout(() => response.setHeader('content-type', 'application/json').end(answer), delayMs)
    })
  })
  server.keepAliveTimeout = 60_000
  return server
})
await Promise.all(
  servers.map((server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))),
)
process.stdout.write(
  `${JSON.stringify(servers.map((server) => /** @type {{ port: number }} */ (server.address()).port))}\n`,
)
process.stdin.on('data', (line) => {
  process.stdout.write(`${JSON.stringify({ tokens, requests, doubles })}\n`)
  if (!String(line).startsWith('reset')) return
  tokens = 0
  requests = 0
  doubles = 0
  seen.fill(0)
})
