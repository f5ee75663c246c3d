import { createServer, connect as dial, type Socket } from 'node:net'
import { afterAll } from 'vitest'
import type { Database } from '../src/platform/db/connection.js'
import { createTestDatabase } from './database.js'

/** A test database behind a relay that counts the round trips of its connections. */
export interface CountedDatabase {
  readonly db: Database
  /** Returns how often `work` waited for PostgreSQL: how often it sent something after an answer. */
  roundTripsOf(work: () => Promise<unknown>): Promise<number>
}

/** Creates a test database with one connection, whose round trips are counted. */
export async function createCountedDatabase(): Promise<CountedDatabase> {
  const { url, connect } = await createTestDatabase()
  const address = new URL(url)
  const sockets = new Set<Socket>()
  let roundTrips = 0
  const relay = createServer((client) => {
    const server = dial(Number(address.port), address.hostname)
    let hasAnswered = true
    client.on('data', (sent) => {
      if (hasAnswered) roundTrips += 1
      hasAnswered = false
      server.write(sent)
    })
    server.on('data', (answer) => {
      hasAnswered = true
      client.write(answer)
    })
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => other.end())
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => relay.close(resolve))
  })
  const { port } = relay.address() as { port: number }
  const relayed = Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href
  const db = connect({ poolSize: 1, url: relayed })
  return {
    db,
    async roundTripsOf(work) {
      const before = roundTrips
      await work()
      return roundTrips - before
    },
  }
}
