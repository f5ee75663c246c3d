import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, inject } from 'vitest'
import { type ConnectOptions, connect, type Database } from '../src/platform/db/connection.js'
import { migrate } from '../src/platform/db/migrate.js'
import { silentLog } from '../src/platform/log/log.js'

/** The database of a test file. */
export interface TestDatabase {
  readonly db: Database
  /** By TCP, so that tests can put something in between. */
  readonly url: string
  /** Opens another pool on the same database, which is closed with it; by another URL of it, if there is one. */
  connect(options?: Partial<ConnectOptions> & { readonly url?: string }): Database
}

export interface TestDatabaseOptions extends Partial<ConnectOptions> {
  /** False: an empty database without migrations. */
  readonly migrated?: boolean
  /** A locale of ICU, such as `und`, where the server has ICU (`hasIcu`). Its migrations take a second or two. */
  readonly icuLocale?: string
}

const POOL_SIZE = 4
const ADMIN_CONNECT_SECONDS = 60
const CLOSING_LIMIT_MS = 30_000
const CLOSING_POLL_MS = 20

/** One connection for all files of a worker, which keep this module. It is closed with the process of the worker. */
let adminOfWorker: Database | null = null

/**
 * Creates a database for the calling test file, at its top level: `const { db } = await
 * createTestDatabase()`. It is dropped after the last test, which fails if a connection that was not opened
 * here is still open, because its owner leaks it.
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const { migrated = true, icuLocale, ...connectOptions } = options
  const template = inject('template')
  const name = `${template}_${randomBytes(4).toString('hex')}`
  const admin = connectAdmin()
  const source = migrated && icuLocale === undefined ? template : 'template0'
  const locale =
    icuLocale === undefined
      ? admin``
      : admin.unsafe(`encoding 'UTF8' locale 'C.UTF-8' locale_provider icu icu_locale '${icuLocale}'`)
  await admin`
    create database ${admin(name)} template ${admin(source)} strategy ${admin(inject('copyStrategy'))} ${locale}`

  const address = new URL(inject('adminUrl'))
  address.pathname = `/${name}`
  address.searchParams.set('connect_timeout', String(ADMIN_CONNECT_SECONDS))
  const socketUrl = address.href
  // Servers of tests wait as long as servers do.
  for (const parameter of ['host', 'port', 'connect_timeout']) address.searchParams.delete(parameter)
  const url = address.href
  if (migrated && icuLocale !== undefined) await migrate(url, silentLog)
  const pools: Database[] = []
  function open({ url: other, ...more }: Partial<ConnectOptions> & { readonly url?: string } = {}): Database {
    const pool = connect(other ?? socketUrl, {
      poolSize: POOL_SIZE,
      applicationName: 'plaza test',
      ...connectOptions,
      ...more,
    })
    pools.push(pool)
    return pool
  }

  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })))
    const openConnections = await connectionsTo(admin, name)
    await admin`drop database ${admin(name)} with (force)`
    if (openConnections.length > 0)
      throw new Error(`connections were left open: ${openConnections.join('; ')}`)
  })
  return { db: open(), url, connect: open }
}

/** Whether the server of the tests has locales of ICU. */
export async function hasIcu(): Promise<boolean> {
  const rows = await connectAdmin()`select from pg_collation where collprovider = 'i' limit 1`
  return rows.length > 0
}

function connectAdmin(): Database {
  if (adminOfWorker !== null) return adminOfWorker
  const url = new URL(inject('adminUrl'))
  // Beside the build of an image, PostgreSQL needed more than the three seconds that a server waits.
  url.searchParams.set('connect_timeout', String(ADMIN_CONNECT_SECONDS))
  adminOfWorker = connect(url.href, { poolSize: 1, applicationName: 'plaza test setup' })
  return adminOfWorker
}

/** PostgreSQL notices a closed socket later, on a busy machine much later. */
async function connectionsTo(admin: Database, name: string): Promise<string[]> {
  const deadline = Date.now() + CLOSING_LIMIT_MS
  for (;;) {
    const rows = await admin<{ application_name: string; query: string }[]>`
      select application_name, query from pg_stat_activity
      where datname = ${name} and backend_type = 'client backend'`
    if (rows.length === 0 || Date.now() > deadline) {
      return rows.map((row) => `${row.application_name}: ${row.query}`)
    }
    await sleep(CLOSING_POLL_MS)
  }
}
