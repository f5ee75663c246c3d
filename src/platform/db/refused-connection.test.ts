import { rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { createDatabaseLogin } from '../../../test/database-login.js'
import { makeTestDir } from '../../../test/stale-test-dirs.js'
import { silentLog } from '../log/log.js'
import { createCertificate } from '../outbound/testing/certificate.js'
import { connect } from './connection.js'
import { isConnectionRefused, isTemporary, outageOf } from './connection-errors.js'
import { openServerDatabase } from './open-database.js'

const { db: admin, url, connect: open } = await createTestDatabase()

const failureOf = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => null,
    (error: unknown) => error,
  )

async function connectFailure(databaseUrl: string): Promise<unknown> {
  const pool = connect(databaseUrl, { poolSize: 1, applicationName: 'test' })
  try {
    return await failureOf(pool`select 1`)
  } finally {
    await pool.end({ timeout: 1 })
  }
}

/** A server that trusts this machine refuses no password, such as the second one of CI. */
const asksForPasswords =
  (await connectFailure(Object.assign(new URL(url), { password: 'wrong' }).href)) !== null

it.runIf(asksForPasswords)(
  'a password that is changed: is an outage, and statements and LISTEN are back when it is the old one',
  async () => {
    const login = await createDatabaseLogin(admin, url)
    const pool = open({ poolSize: 2, url: login.url })
    const heard: string[] = []
    let listens = 0
    await pool.listen(
      'refused',
      (text) => heard.push(text),
      () => {
        listens += 1
      },
    )
    await pool`select 1`
    await login.refuse()
    await expect.poll(() => failureOf(pool`select 1`)).toMatchObject({ code: '28P01' })
    for (const work of [() => pool.begin((sql) => sql`select 1`), () => pool.reserve()]) {
      const failure = await failureOf(work())
      expect([outageOf(failure), isTemporary(failure), isConnectionRefused(failure)]).toEqual([
        'DatabaseAway',
        true,
        true,
      ])
    }
    await login.admit()
    await expect.poll(() => failureOf(pool`select 1`), { interval: 20 }).toBeNull()
    await expect.poll(() => listens, { interval: 20 }).toBe(2)
    await admin`select pg_notify('refused', 'again')`
    await expect.poll(() => heard).toEqual(['again'])
  },
)

it('a database that admits nobody, or is not there: is an outage; a table that is not there is none', async () => {
  const absent = await connectFailure(Object.assign(new URL(url), { pathname: '/nowhere' }).href)
  expect(absent).toMatchObject({ code: '3D000' })
  // The only template without connections.
  const closed = await connectFailure(Object.assign(new URL(url), { pathname: '/template0' }).href)
  expect(closed).toMatchObject({ code: '55000' })
  for (const failure of [absent, closed]) {
    expect([outageOf(failure), isConnectionRefused(failure)]).toEqual(['DatabaseAway', true])
  }
  const missing = await failureOf(admin`select from nothing_like_it`)
  expect([outageOf(missing), isConnectionRefused(missing)]).toEqual([null, false])
})

it('TLS that cannot be agreed on, and files that cannot be read: are outages', async () => {
  const directory = await makeTestDir()
  onTestFinished(() => rm(directory, { recursive: true }))
  const root = join(directory, 'root.crt')
  await writeFile(root, 'no certificate')
  const failures = await Promise.all([
    connectFailure(`${url}?sslmode=require`),
    ...(
      await tlsUrls([
        'verify-full',
        `verify-ca&sslrootcert=${root}`,
        `require&sslcert=${root}&sslkey=${root}.key`,
      ])
    ).map(connectFailure),
  ])
  expect(failures.map((failure) => [outageOf(failure), isConnectionRefused(failure)])).toEqual(
    failures.map(() => ['DatabaseAway', true]),
  )
})

/** URLs of a server with a certificate that nobody knows, one for each mode. */
async function tlsUrls(modes: readonly string[]): Promise<string[]> {
  const { key, cert } = createCertificate('localhost')
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('S')
      new TLSSocket(socket, { isServer: true, key, cert }).on('error', () => {})
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return modes.map((mode) => `postgres://u@localhost:${port}/d?sslmode=${mode}`)
}

it('no server at the address: is an outage, and no refusal', async () => {
  const failure = await connectFailure('postgres://u:p@127.0.0.1:1/d?sslmode=verify-full')
  expect([outageOf(failure), isConnectionRefused(failure)]).toEqual(['DatabaseAway', false])
})

it('a start with a missing file or a wrong password: fails at once, and names the reason', async () => {
  const opening = (databaseUrl: string) =>
    failureOf(openServerDatabase({ dataDir: '', databaseUrl, databasePool: 1, hubShards: 1 }, silentLog))
  const path = '/dev/null/root.crt'
  const [absent] = await tlsUrls([`verify-full&sslrootcert=${path}`])
  expect(await opening(absent!)).toMatchObject({ path })
  if (!asksForPasswords) return
  const wrong = Object.assign(new URL(url), { password: 'wrong' }).href
  expect(await opening(wrong)).toMatchObject({ code: '28P01' })
})
