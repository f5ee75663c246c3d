import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { afterAll, inject } from 'vitest'
import { type ConnectOptions, connect, type Database } from '../src/platform/db/connection.js'
import { freePort } from '../src/platform/process/free-port.js'
import { createTestDatabase } from './database.js'

/** A database with a standby that can be behind it when it takes over. */
export interface FailOverDatabase {
  readonly db: Database
  connect(options?: Partial<ConnectOptions>): Database
  /** The standby replicates up to now, and nothing that follows. */
  stopReplication(): Promise<void>
  /** The primary dies: all connections break, and new ones reach the standby. */
  failOver(): Promise<void>
}

/**
 * Creates a test database that fails over. The standby is a copy, which gets the name of the database: so an asynchronous
 * fail-over looks to clients, which connect through a relay.
 */
export async function createFailOverDatabase(): Promise<FailOverDatabase> {
  const { url, connect: open } = await createTestDatabase()
  const address = new URL(url)
  const name = address.pathname.slice(1)
  const [standby, lost] = [`${name}_standby`, `${name}_lost`]
  const relay = new Relay(Number(address.port), address.hostname)
  const port = await relay.listen(await freePort())
  const relayed = Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href
  const admin = connect(inject('adminUrl'), { poolSize: 1, applicationName: 'plaza test setup' })
  afterAll(async () => {
    await relay.close()
    await admin`drop database if exists ${admin(standby)} with (force)`
    await admin`drop database if exists ${admin(lost)} with (force)`
    await admin.end({ timeout: 5 })
  })

  /** Runs without a connection to the database. */
  async function offline(work: () => Promise<unknown>): Promise<void> {
    await relay.close()
    await admin`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = ${name}`
    await work()
    await relay.listen(port)
  }

  return {
    db: open({ url: relayed }),
    connect: (options = {}) => open({ ...options, url: relayed }),
    stopReplication: () => offline(() => admin`create database ${admin(standby)} template ${admin(name)}`),
    failOver: () =>
      offline(async () => {
        await admin`drop database if exists ${admin(lost)} with (force)`
        await admin`alter database ${admin(name)} rename to ${admin(lost)}`
        await admin`alter database ${admin(standby)} rename to ${admin(name)}`
      }),
  }
}

/** Forwards connections to an address while it listens. */
class Relay {
  readonly #sockets = new Set<Socket>()
  #server: Server | null = null

  constructor(
    private readonly port: number,
    private readonly host: string,
  ) {}

  async listen(port: number): Promise<number> {
    const server = createServer((client) => {
      const target = dial(this.port, this.host)
      client.pipe(target).pipe(client)
      for (const [socket, other] of [
        [client, target],
        [target, client],
      ] as const) {
        this.#sockets.add(socket)
        socket.on('error', () => other.destroy())
        socket.on('close', () => {
          this.#sockets.delete(socket)
          other.destroy()
        })
      }
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return (server.address() as { port: number }).port
  }

  async close(): Promise<void> {
    const server = this.#server
    this.#server = null
    for (const socket of this.#sockets) socket.destroy()
    if (server) await new Promise((resolve) => server.close(resolve))
  }
}
