import { createServer } from 'node:http'
import { quantile } from './quantiles.mjs'

// A receiver in a process of its own: `node webhook-receiver.mjs DELAY_MS`. It prints its port, and for each line on
// stdin how many deliveries arrived, how many of them twice, and how long after the moment that the cast's text tells.

const delayMs = Number(process.argv[2] ?? 0)
let lags = []
const seen = new Set()
let doubles = 0

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const now = Date.now()
    const id = request.headers['webhook-id']
    if (seen.has(id)) doubles += 1
    seen.add(id)
    const sentMs = /"text":"at (\d+)/.exec(Buffer.concat(chunks).toString())?.[1]
    if (sentMs !== undefined) lags.push(now - Number(sentMs))
    if (delayMs === 0) response.end()
    else setTimeout(() => response.end(), delayMs)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
process.stdin.on('data', (line) => {
  const at = (share) => quantile(lags, share) ?? 0
  process.stdout.write(
    `${JSON.stringify({ count: lags.length, doubles, p50: at(0.5), p99: at(0.99), most: at(1) })}\n`,
  )
  if (String(line).startsWith('reset')) lags = []
})
