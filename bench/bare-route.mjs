import { readFile } from 'node:fs/promises'
import Fastify from 'fastify'

/**
 * The limit for a page of events: Fastify, and bytes that lie ready in memory. A process of its own, as the
 * server is. Arguments: a file of pages, each behind its length (4 bytes).
 */

const bytes = await readFile(process.argv[2] ?? '')
/** @type {Buffer[]} */
const pages = []
for (let at = 0; at < bytes.length; ) {
  const end = at + 4 + bytes.readUInt32BE(at)
  pages.push(bytes.subarray(at + 4, end))
  at = end
}

const app = Fastify()
app.get('/pages/:number', async (request, reply) => {
  const { number } = /** @type {{ number: string }} */ (request.params)
  return reply.type('application/json; charset=utf-8').send(pages[Number(number)])
})
process.on('SIGTERM', () => app.close())
process.stdout.write(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
