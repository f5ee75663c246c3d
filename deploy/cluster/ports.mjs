import { randomBytes } from 'node:crypto'
import { createServer } from 'node:net'
import { allPorts } from './layout.mjs'

/** Ports that nobody listens on. */

/** The lowest port of a cluster whose ports are all free, below those that systems give to connections. */
export async function freeClusterPort() {
  for (;;) {
    const port = 20_000 + (randomBytes(1)[0] ?? 0) * 48
    const free = await Promise.all(allPorts(port).map(isFree))
    if (free.every(Boolean)) return port
  }
}

/** @param {number} port @returns {Promise<boolean>} */
export function isFree(port) {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}
