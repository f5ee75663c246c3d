import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connect } from '../src/platform/db/connection.js'
import { refuseTransactionPooling, TransactionPoolingError } from '../src/platform/db/pooling-check.js'
import { freePort } from '../src/platform/process/free-port.js'
import { createTestDatabase } from './database.js'
import { createDatabaseLogin } from './database-login.js'
import { createDataDir, runCommand, startServerProcess } from './server-process.js'

const { db, url } = await createTestDatabase()

/** PgBouncer refuses to run as root. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0

function isInstalled(): boolean {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts PgBouncer before the test database. Returns the URL of the database behind it. */
async function startPooler(
  mode: 'session' | 'transaction' | 'statement',
  extra: readonly string[] = [],
): Promise<string> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const directory = await mkdtemp(join(tmpdir(), 'plaza-pooler-'))
  await chmod(directory, 0o755)
  const listenPort = await freePort()
  const file = join(directory, 'pgbouncer.ini')
  const login = `user=${decodeURIComponent(username)} password='${decodeURIComponent(password)}'`
  await writeFile(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${port} ${login}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${listenPort}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      'default_pool_size = 40',
      'max_client_conn = 200',
      ...extra,
    ].join('\n'),
  )
  const pooler = spawn('pgbouncer', [file], {
    stdio: 'ignore',
    ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
  })
  onTestFinished(() => stop(pooler, directory))
  const pooled = `postgres://plaza:x@127.0.0.1:${listenPort}${pathname}`
  await expect.poll(() => answers(pooled)).toBe(true)
  return pooled
}

async function stop(pooler: ChildProcess, directory: string): Promise<void> {
  const ended = new Promise((resolve) => pooler.once('exit', resolve))
  pooler.kill('SIGKILL')
  if (pooler.exitCode === null) await ended
  await rm(directory, { recursive: true, force: true })
}

async function answers(pooled: string): Promise<boolean> {
  const db = connect(pooled, { poolSize: 1, applicationName: 'test' })
  return await db.unsafe('select 1').then(
    () => db.end({ timeout: 0 }).then(() => true),
    () => db.end({ timeout: 0 }).then(() => false),
  )
}

it('without a pooler: a server without a second connection is not taken for one', async () => {
  const login = await createDatabaseLogin(db, url)
  await db.unsafe(`alter role ${new URL(login.url).username} connection limit 1`)
  await expect(refuseTransactionPooling(login.url)).rejects.toMatchObject({ code: '53300' })
})

it('without a pooler: a connection that the driver replaces is not taken for one', async () => {
  // Seconds after which the driver closes a connection; by default half an hour or more.
  vi.stubEnv('PGMAX_LIFETIME', '0.001')
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(refuseTransactionPooling(url)).resolves.toBeUndefined()
})

describe.runIf(isInstalled())('PgBouncer', () => {
  it('in session mode: the server starts, is told of events, and stops', async () => {
    const pooled = await startPooler('session')
    await refuseTransactionPooling(pooled)
    const server = await startServerProcess({
      dataDir: await createDataDir(),
      env: { DATABASE_URL: pooled, LOG_LEVEL: 'warn' },
    })
    await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(200)
    const db = connect(pooled, { poolSize: 1, applicationName: 'test' })
    const heard: string[] = []
    await db.listen('pooled', (text) => heard.push(text))
    await db`select pg_notify('pooled', 'yes')`
    await expect.poll(() => heard).toEqual(['yes'])
    const [row] = await db`select current_setting('statement_timeout') as timeout`
    expect(row).toEqual({ timeout: '30s' })
    await db.end({ timeout: 1 })
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(server.output()).not.toContain('"level":50')
  })

  it('in statement mode: is recognised', async () => {
    const pooled = await startPooler('statement')
    await expect(refuseTransactionPooling(pooled)).rejects.toThrow(TransactionPoolingError)
  })

  it.each([
    ['by default', []],
    ['with its servers in turn', ['server_round_robin = 1']],
  ] as const)('in transaction mode %s: is recognised', async (_, extra) => {
    const pooled = await startPooler('transaction', extra)
    await expect(refuseTransactionPooling(pooled)).rejects.toThrow(TransactionPoolingError)
  })

  it('with one server: two connections do not get two sessions, as of a database that hangs', async () => {
    const pooled = await startPooler('transaction', ['default_pool_size = 1'])
    await expect(refuseTransactionPooling(pooled)).rejects.toThrow(/a pooler in front of it has too few/)
  })

  it('in transaction mode: the server does not start, and says what to do', async () => {
    const pooled = await startPooler('transaction')
    const command = await runCommand(['serve'], {
      dataDir: await createDataDir(),
      env: { DATABASE_URL: pooled },
    })
    expect(await command.ended).toEqual({ code: 1, signal: null })
    expect(command.output()).toMatch(/changes the session of a connection with every transaction/)
    expect(command.output()).toMatch(/what to do: set pool_mode = session/)
  })
})
