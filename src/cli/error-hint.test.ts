import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../test/database.js'
import { createDatabaseLogin } from '../../test/database-login.js'
import { startTestServer } from '../../test/running-server.js'
import { connect } from '../platform/db/connection.js'
import { NoConnectionError } from '../platform/db/connection-errors.js'
import { DataDirBusyError } from '../platform/db/data-dir-lock.js'
import { freePort } from '../platform/process/free-port.js'
import { errorHint } from './error-hint.js'

const { db, url } = await createTestDatabase()

/** What listening there fails with. */
function listenFailure(port: number, host: string): Promise<Error> {
  return new Promise((resolve) => createServer().once('error', resolve).listen(port, host))
}

/** What a statement there fails with. */
async function databaseFailure(change: (url: URL) => void): Promise<unknown> {
  const address = new URL(url)
  change(address)
  const db = connect(address.href, { poolSize: 1, applicationName: 'plaza test' })
  const error: unknown = await db`select 1`.catch((reason: unknown) => reason)
  await db.end()
  return error
}

it('gives a hint for a used port and for a foreign address', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const advice = errorHint(await listenFailure(port, '127.0.0.1'), false, '/data')
  expect(advice).toBe(
    `stop the program that uses port ${port}, or set PORT (HUB_PORT, HUB_GRPC_PORT) to another one`,
  )
  taken.close()
  expect(errorHint(await listenFailure(0, '192.0.2.1'), false, '/data')).toBe(
    'set HOST to an address of this machine: 192.0.2.1 is not one',
  )
})

it('a HOST without an address -> the server does not take it for an absent database', async () => {
  await expect(startTestServer(url, { HOST: 'a..b', CRAWL_EMBEDS: 'false' })).rejects.toThrow(
    /^HOST: "a\.\.b" has no address .*: set it to an address of this machine, such as 127\.0\.0\.1$/,
  )
})

it('a HUB_PORT in use -> the main port is closed again, so that the process ends', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const HUB_PORT = String((taken.address() as { port: number }).port)
  const PORT = String(await freePort())
  const env = { HUB_PORT, PORT, CRAWL_EMBEDS: 'false' }
  await expect(startTestServer(url, env)).rejects.toThrow(
    `EADDRINUSE: address already in use 127.0.0.1:${HUB_PORT}`,
  )
  await expect(fetch(`http://127.0.0.1:${PORT}/healthz`)).rejects.toThrow('fetch failed')
  taken.close()
})

it('gives a hint for a data directory that cannot be created', () => {
  const path = '/dev/null/data'
  expect(() => mkdirSync(path, { recursive: true })).toThrow(
    expect.toSatisfy((error) => errorHint(error, false, '/data')?.includes(`${path} is not`) === true),
  )
})

it('gives a hint for a data directory in use', () => {
  const refused = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS', path: '/data/x' })
  expect(errorHint(refused, false, '/data')).toContain('a user with access to /data/x')
  const busy = new DataDirBusyError('/data', { pid: 7, identity: '1', command: 'serve' })
  expect(errorHint(busy, false, '/data')).toContain('set DATA_DIR to another directory')
})

it('names DATA_DIR only for files in it, and for a full disk of the embedded PostgreSQL', () => {
  const refused = (path: string) => Object.assign(new Error('EACCES'), { code: 'EACCES', path })
  expect(errorHint(refused('/data/postgres.log'), false, '/data')).toContain('set DATA_DIR')
  for (const path of ['/home/me/archive', '/database/archive']) {
    expect(errorHint(refused(path), false, '/data')).toBe(`run this as a user with access to ${path}`)
  }
  const full = (more: object) => Object.assign(new Error('No space left on device'), more)
  const other = 'free disk space, or set DATA_DIR to a directory on another disk'
  expect(errorHint(full({ code: 'ENOSPC', path: '/data/x' }), false, '/data')).toBe(other)
  expect(errorHint(full({ code: '53100' }), false, '/data')).toBe(other)
  expect(errorHint(full({ code: '53100' }), true, '/data')).toBe('free disk space')
  // A write to an open file, such as an archive, names no path.
  expect(errorHint(full({ code: 'ENOSPC' }), false, '/data')).toBe('free disk space')
})

it('gives a hint for a missing database of the user, but not for an embedded one', async () => {
  const missing = await databaseFailure((address) => {
    address.pathname = '/nowhere'
  })
  expect(errorHint(missing, true, '/data')).toContain('createdb')
  expect(errorHint(missing, false, '/data')).toBeNull()
  const refused = await databaseFailure((address) => {
    address.port = '1'
  })
  expect(errorHint(refused, true, '/data')).toContain('start the PostgreSQL')
})

it('gives a hint for a database that takes no writes', () => {
  const refused = new Error('cannot execute INSERT in a read-only transaction')
  expect(errorHint(Object.assign(refused, { code: '25006' }), true, '/data')).toContain(
    'takes no writes: name the primary',
  )
})

it('gives a hint for a missing right that says which one', async () => {
  const hintOf = async (statement: string) => {
    // Rolled back with the statement that fails.
    const refused: unknown = await db
      .begin(async (transaction) => {
        await transaction.unsafe(`create role ${role}; set local role ${role}`)
        await transaction.unsafe(statement)
      })
      .catch((error: unknown) => error)
    expect(errorHint(refused, false, '/data')).toBeNull()
    return errorHint(refused, true, '/data')
  }
  const role = `plaza_guest_${process.pid}`
  const name = new URL(url).pathname.slice(1)
  expect(await hintOf('create schema mine')).toContain(`\`grant all on database ${name}\` to the user`)
  expect(await hintOf('create table public.mine ()')).toContain('`grant all on schema public` to the user')
  for (const statement of ['select from apps.apps', 'select from public.schema_migrations'])
    expect(await hintOf(statement)).toContain('that has created the tables')
})

it('gives a hint for a database that admits no more connections', async () => {
  const login = await createDatabaseLogin(db, url)
  await db.unsafe(`alter role ${new URL(login.url).username} connection limit 0`)
  const refused = connect(login.url, { poolSize: 1, applicationName: 'plaza test' })
  const error: unknown = await refused`select 1`.catch((reason: unknown) => reason)
  await refused.end()
  expect(errorHint(error, true, '/data')).toMatch(/^lower DATABASE_POOL, .* or raise max_connections/)
})

it('gives a hint for a pooler with too few connections, and for pg_trgm in another schema', async () => {
  const unfree = new NoConnectionError('no connection to the database became free in 3 s')
  expect(errorHint(unfree, true, '/data')).toMatch(/^raise default_pool_size .* or lower DATABASE_POOL/)
  const absent: unknown = await db
    .begin(async (transaction) => {
      await transaction`drop extension pg_trgm cascade`
      await transaction`create schema elsewhere`
      await transaction`create extension pg_trgm with schema elsewhere`
      await transaction`create extension if not exists pg_trgm with schema public`
      await transaction`create index on social.users using gin (username public.gin_trgm_ops)`
    })
    .catch((error: unknown) => error)
  expect(errorHint(absent, true, '/data')).toContain('`alter extension pg_trgm set schema public`')
})

it('gives hints for what pg_hba.conf does not admit', () => {
  const refusal = (encryption: string) =>
    Object.assign(
      new Error(`no pg_hba.conf entry for host "10.0.0.7", user "plaza", database "plaza", ${encryption}`),
      {
        code: '28000',
      },
    )
  expect(errorHint(refusal('no encryption'), true, '/data')).toContain('sslmode=verify-full')
  expect(errorHint(refusal('SSL encryption'), true, '/data')).toContain('pg_hba.conf of the server')
  const role = Object.assign(new Error('role "plaza" is not permitted to log in'), { code: '28000' })
  expect(errorHint(role, true, '/data')).toContain('check the user')
})

it('gives no hint for a bug', () => {
  for (const error of [new Error('a mistake'), new TypeError('x is undefined'), 'text', null]) {
    expect(errorHint(error, true, '/data')).toBeNull()
  }
})
