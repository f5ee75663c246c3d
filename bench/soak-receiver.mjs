import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Who is told of what happens, in a process of its own: it takes the deliveries of a webhook and reads the log's stream,
 * and tells its parent which casts and messages arrived and when. Started with `fork`, the server's address as argument.
 */

const [, , serverUrl = ''] = process.argv
const TELL_MS = 100
/** @type {{ delivered: [string, number][], streamed: [string, number][], doubles: number }} */
let news = { delivered: [], streamed: [], doubles: 0 }
const seen = new Set()
/** Where the stream is read on after it was cut. */
let lastEventId = ''

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const [, hash = ''] = /"hash":"(0x[0-9a-f]{40})"/.exec(Buffer.concat(chunks).toString()) ?? []
    if (seen.has(hash)) news.doubles += 1
    else news.delivered.push([hash, Date.now()])
    seen.add(hash)
    response.end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: /** @type {import('node:net').AddressInfo} */ (server.address()).port })
})
process.on('disconnect', () => process.exit())
// The parent ends first what it measures; Ctrl-C reaches us as well.
for (const name of ['SIGINT', 'SIGHUP']) process.on(name, () => {})

setInterval(() => {
  process.send?.({ ...news, memoryMb: process.memoryUsage().rss / 2 ** 20 })
  news = { delivered: [], streamed: [], doubles: 0 }
}, TELL_MS)

for (;;) {
  await readStream().catch(() => {})
  await sleep(TELL_MS)
}

async function readStream() {
  const headers = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
  const answer = await fetch(`${serverUrl}/v1/events/stream?event_type=HUB_EVENT_TYPE_MERGE_MESSAGE`, {
    headers,
  })
  if (!answer.ok || answer.body === null) return
  let rest = ''
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('id: ')) lastEventId = line.slice(4).trim()
      if (!line.startsWith('data: ')) continue
      const hash = JSON.parse(line.slice(6)).mergeMessageBody?.message.hash
      if (hash !== undefined) news.streamed.push([hash, Date.now()])
    }
  }
}
