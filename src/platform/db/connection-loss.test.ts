import { connect as connectSocket, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { connect, type Database } from './connection.js'
import { isUnavailable } from './connection-errors.js'

const { db, url } = await createTestDatabase()

interface ProxyConnection {
  /** Opens a pool of one connection through the proxy. */
  readonly pool: Database
  /** Resets all connections, as a crashed machine does. */
  disconnect(): void
  /** Takes no more connections; those that are open stay. */
  refuse(): void
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
    refuse: () => void wire.close(),
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

it('a statement that is cancelled while the database takes no connection ends with its own, and nothing else does', async () => {
  const { pool, refuse, disconnect } = await openProxy()
  const statement = pool`select pg_sleep(60)`
  const failure = statement.catch((error: unknown) => error)
  const running = () => db`
    select from pg_stat_activity
    where datname = current_database() and state = 'active' and query = 'select pg_sleep(60)'`
  await expect.poll(running).toHaveLength(1)
  refuse()
  // It is sent over a connection of its own; an error that nobody handles would fail the run.
  statement.cancel()
  disconnect()
  expect(isUnavailable(await failure)).toBe(true)
})

/** A promise, and what resolves it. */
function createGate(): { readonly opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

it.each(['alone', 'within the transaction of another'])(
  'a transaction that was lost while it waited for something else does not go on when the connection is opened again, %s',
  async (where) => {
    const { pool, disconnect } = await openProxy()
    const gate = createGate()
    const lateErrors: unknown[] = []
    let ended: Promise<unknown> = Promise.resolve()
    const lost = pool.begin(async (sql) => {
      await sql`select 1`
      disconnect()
      await gate.opened
      ended = sql`select ${'late'}::text as late`.catch((error: unknown) => lateErrors.push(error))
      await ended
    })
    expect(isUnavailable(await lost.catch((error: unknown) => error))).toBe(true)
    const read = (sql: Pick<Database, 'unsafe'>) => sql.unsafe('select txid_current_if_assigned() as id')
    if (where === 'alone') await pool`select 1`
    await pool.begin(async (sql) => {
      await sql`create temporary table kept (n int)`
      if (where !== 'alone') gate.open()
      await new Promise(setImmediate)
      await ended
      await sql`insert into kept values (1)`
      expect((await read(sql))[0]?.id).not.toBeNull()
    })
    gate.open()
    await new Promise(setImmediate)
    await ended
    expect(lateErrors.map(isUnavailable)).toEqual([true])
    await expect(pool`select n from kept`).resolves.toEqual([{ n: 1 }])
  },
)

it('a reserved session that was lost does not go on on a connection that another caller opened', async () => {
  const { pool, disconnect } = await openProxy()
  const session = await pool.reserve()
  await session`select pg_advisory_lock(1)`
  disconnect()
  await expect(session`select 1`).rejects.toSatisfy(isUnavailable)
  await expect.poll(() => pool`select 1 as one`.catch(() => null)).toEqual([{ one: 1 }])
  await expect(session`select ${1}::int as one`).rejects.toSatisfy(isUnavailable)
  let other: Promise<unknown> = Promise.resolve()
  const rolledBack = pool.begin(async (sql) => {
    await sql`select 1`
    session.release()
    // Waits for the connection, and is no part of the transaction that has it.
    other = pool`create temporary table kept (n int)`.then(() => {})
    await new Promise(setImmediate)
    throw new Error('rolled back')
  })
  await expect(rolledBack).rejects.toThrow('rolled back')
  await other
  await expect(pool`select n from kept`).resolves.toEqual([])
})

it('a reserved session that was lost leaves no dead connection behind', async () => {
  const { pool, disconnect } = await openProxy()
  const session = await pool.reserve()
  disconnect()
  await expect(session`select 1`).rejects.toSatisfy(isUnavailable)
  await new Promise(setImmediate)
  session.release()
  await expect.poll(() => pool`select 1 as one`.catch(() => null)).toEqual([{ one: 1 }])
})
