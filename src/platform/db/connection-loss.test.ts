import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { connect, type Database } from './connection.js'
import { isUnavailable } from './connection-errors.js'

const { url } = await createTestDatabase()

interface ProxyConnection {
  /** Opens a pool of one connection through the proxy. */
  readonly pool: Database
  /** Resets all connections, as a crashed machine does. */
  disconnect(): void
}

/** A TCP proxy to the database that can cut connections. */
async function openProxy(): Promise<ProxyConnection> {
  const sockets = new Set<Socket>()
  const database = new URL(url)
  const wire = createServer((clientSocket) => {
    const upstreamSocket = connectSocket(Number(database.port), database.hostname)
    clientSocket.pipe(upstreamSocket)
    upstreamSocket.pipe(clientSocket)
    sockets.add(clientSocket)
    clientSocket.on('error', () => {}).on('close', () => upstreamSocket.destroy())
    upstreamSocket.on('error', () => {}).on('close', () => clientSocket.destroy())
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  const address = new URL(url)
  address.port = String((wire.address() as { port: number }).port)
  const pool = connect(address.href, { poolSize: 1, applicationName: 'plaza test' })
  onTestFinished(async () => {
    await pool.end({ timeout: 1 })
    await new Promise((resolve) => wire.close(resolve))
  })
  return {
    pool,
    disconnect: () => {
      for (const socket of sockets) socket.resetAndDestroy()
      sockets.clear()
    },
  }
}

it.each(['a statement was running', 'rows were being received'])(
  'a transaction fails if its connection is reset while %s, and the next one gets a connection',
  async (when) => {
    const { pool, disconnect } = await openProxy()
    for (let round = 0; round < 5; round += 1) {
      const lostError: unknown = await pool
        .begin(async (sql) => {
          const rows = when.startsWith('rows')
            ? sql`select n, repeat('x', 1000) as text from generate_series(1, 100000) n where n > ${0}::int`
            : sql`select pg_sleep(${5}::float8)`
          setTimeout(disconnect, 50)
          await rows
        })
        .catch((error: unknown) => error)
      expect(isUnavailable(lostError)).toBe(true)
      const read = () =>
        pool.begin(async (sql) => [...(await sql`select ${round}::int as round`)]).catch(() => null)
      await expect.poll(read).toEqual([{ round }])
      await expect(pool`select 1 as one`).resolves.toEqual([{ one: 1 }])
    }
  },
)
