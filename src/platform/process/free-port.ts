import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below the ephemeral range (Linux: from 32768): no connection and no `listen(0)` of another process takes such a port
 * before it is used, or while what used it is down.
 */
const PORTS = { from: 20_000, below: 32_000 }
const MAX_ATTEMPTS = 20

/** Returns a random port of loopback at which nobody listens now. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const port = randomInt(PORTS.from, PORTS.below)
    if (await isFree(port)) return port
  }
  throw new Error(`found no free port between ${PORTS.from} and ${PORTS.below}`)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)))
  })
}
