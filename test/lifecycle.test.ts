import { spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { appendFile, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { readPostmaster } from '../src/platform/db/cluster-process.js'
import { connect, type Database } from '../src/platform/db/connection.js'
import { dataDirOwner } from '../src/platform/db/data-dir-lock.js'
import { findEmbedded, startEmbedded } from '../src/platform/db/embedded.js'
import { canEnter, canReach, type SystemUser } from '../src/platform/db/system-user.js'
import { silentLog } from '../src/platform/log/log.js'
import { processIdentity } from '../src/platform/process/process-identity.js'
import { builtCli } from './built-cli.js'
import { createTestDatabase } from './database.js'
import { createDataDir, runCommand, type ServerProcess, startServerProcess } from './server-process.js'

// Each test starts servers with a durable cluster, some twice: seconds of disk and CPU.
const external = await createTestDatabase()
const pools: Database[] = []
afterAll(() => Promise.all(pools.map((pool) => pool.end({ timeout: 1 }))))

async function databaseOf(dataDir: string): Promise<Database> {
  const url = await findEmbedded(dataDir)
  const db = connect(url ?? '', { poolSize: 2, applicationName: 'plaza test' })
  pools.push(db)
  return db
}

async function postgresOf(dataDir: string): Promise<number> {
  return (await readPostmaster(join(dataDir, 'postgres')))?.pid ?? 0
}

async function statusOf(server: ServerProcess): Promise<number> {
  return (await fetch(`${server.url}/readyz`)).status
}

/** The server itself reports that it is not ready while its database is slow. */
async function expectReady(server: ServerProcess): Promise<void> {
  await expect.poll(() => statusOf(server)).toBe(200)
}

/** A request with an endless body. */
function sendEndlessly(server: ServerProcess): Promise<string | Response> {
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from([1])) })
  const headers = { 'content-type': 'application/octet-stream' }
  const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit
  return fetch(`${server.url}/v1/submitMessage`, init).catch(() => 'cut')
}

/** Kills what is left of the processes that one has started. */
function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    // None is left.
  }
}

describe('start and stop', () => {
  it('that `npm start` has started ends when npm gets SIGTERM', async () => {
    await builtCli()
    const dataDir = await createDataDir()
    // Without npm's own scripts: the build has just been made.
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        DATA_DIR: dataDir,
        PORT: '0',
        VERIFY_THREADS: '0',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    onTestFinished(() => killGroup(npm.pid))
    let output = ''
    npm.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    await expect.poll(() => output).toMatch(/^listening on /m)
    const postgres = await postgresOf(dataDir)
    npm.kill('SIGTERM')
    await expect.poll(() => processIdentity(postgres)).toBeNull()
    // PostgreSQL has ended before the server says so.
    await expect.poll(() => output).toContain('"msg":"stopped"')
  })

  it('creates its database, replies, and leaves no process after SIGTERM', async () => {
    const dataDir = await createDataDir()
    const server = await startServerProcess({ dataDir })
    const readiness = async () => await (await fetch(`${server.url}/readyz`)).json()
    await expect.poll(readiness).toMatchObject({ status: 'ready' })
    const postgres = await postgresOf(dataDir)
    expect(processIdentity(postgres)).not.toBeNull()
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(processIdentity(postgres)).toBeNull()
    expect((await readdir(dataDir)).sort()).toEqual([
      'postgres',
      'postgres.log',
      'postgres.password',
      'secret.key',
    ])
    for (const secret of ['postgres.password', 'secret.key']) {
      expect((await stat(join(dataDir, secret))).mode & 0o777).toBe(0o600)
    }
  })

  it('a second signal during its start ends PostgreSQL, too', async () => {
    const dataDir = await createDataDir()
    const first = await startServerProcess({ dataDir })
    first.child.kill('SIGKILL')
    await first.ended
    const postgres = await postgresOf(dataDir)
    const db = await databaseOf(dataDir)
    const held = db.begin(async (tx) => {
      await tx`lock table app.processes`
      const second = await runCommand(['serve'], { dataDir })
      const isBlocked = async () =>
        (
          await db`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%app.processes%'`
        ).length > 0
      await expect.poll(isBlocked).toBe(true)
      const isEnded = () => {
        second.child.kill('SIGINT')
        return second.child.exitCode
      }
      await expect.poll(isEnded).toBe(1)
    })
    // Its connection ends with PostgreSQL.
    await expect(held).rejects.toThrow()
    await expect.poll(() => processIdentity(postgres)).toBeNull()
  })

  // Root in a container of the usual kind has no such capability, and may not look at processes of other users.
  it.skipIf(process.getuid?.() !== 0)(
    'as root without CAP_SYS_PTRACE it stops its PostgreSQL, and finds it again',
    async () => {
      const dataDir = await createDataDir()
      const through = ['setpriv', '--bounding-set=-sys_ptrace']
      const first = await startServerProcess({ dataDir, through })
      const postgres = await postgresOf(dataDir)
      first.child.kill('SIGKILL')
      await first.ended
      const second = await startServerProcess({ dataDir, through })
      expect(await postgresOf(dataDir)).toBe(postgres)
      second.child.kill('SIGTERM')
      expect(await second.ended).toEqual({ code: 0, signal: null })
      expect(processIdentity(postgres)).toBeNull()
    },
  )

  it('refuses a second server on a directory, and lets commands use the first one', async () => {
    const dataDir = await createDataDir()
    const server = await startServerProcess({ dataDir })
    const second = await runCommand(['serve'], { dataDir })
    expect(await second.ended).toMatchObject({ code: 1 })
    expect(second.output()).toContain(`in use by process ${server.pid} (plaza serve)`)
    expect(server.output()).not.toContain('creating a new database')
    const command = await runCommand(['migrate'], { dataDir })
    expect(await command.ended).toMatchObject({ code: 0 })
    await expectReady(server)
  })

  it('starts a database for a command, also for several at once', async () => {
    const dataDir = await createDataDir()
    const commands = await Promise.all([1, 2, 3].map(() => runCommand(['migrate'], { dataDir })))
    for (const command of commands) {
      const { code } = await command.ended
      expect(code, command.output()).toBe(0)
    }
    const warning = `creating a new database in ${dataDir}: set DATABASE_URL or DATA_DIR as for the server`
    expect(commands.filter((command) => command.output().includes(warning))).toHaveLength(1)
    expect(await findEmbedded(dataDir)).toBeNull()
  })

  it('lets commands wait while a server creates its database', async () => {
    const dataDir = await createDataDir()
    const starting = startServerProcess({ dataDir })
    // The server has locked the directory; its PostgreSQL does not exist yet.
    while (dataDirOwner(dataDir) === null) await sleep(10)
    const commands = await Promise.all([1, 2, 3].map(() => runCommand(['migrate'], { dataDir })))
    for (const command of commands) {
      const { code } = await command.ended
      expect(code, command.output()).toBe(0)
    }
    await starting
  })

  it('uses DATABASE_URL and creates no database', async () => {
    const dataDir = await createDataDir()
    const server = await startServerProcess({ dataDir, env: { DATABASE_URL: external.url } })
    await expectReady(server)
    expect(await readdir(dataDir)).toEqual([])
    server.child.kill('SIGINT')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })

  it('reports all invalid environment variables', async () => {
    const dataDir = await createDataDir()
    const command = await runCommand(['serve'], { dataDir, env: { PORT: 'x', HUB_SHARDS: '0' } })
    expect(await command.ended).toMatchObject({ code: 1 })
    expect(command.output()).toMatch(/PORT: "x" is not .*\nHUB_SHARDS: "0" is not /)
  })
})

describe('the hub API', () => {
  it('is served on the main port, and alone on its own port', async () => {
    const dataDir = await createDataDir()
    const env = { DATABASE_URL: external.url, HUB_PORT: '0' }
    const server = await startServerProcess({ dataDir, env })
    const [, hubUrl] = /^hub API on (\S+)$/m.exec(server.output()) ?? []
    for (const base of [server.url, hubUrl]) {
      expect((await fetch(`${base}/v1/info`)).status).toBe(200)
      expect(await (await fetch(`${base}/v1/nothing`)).json()).toMatchObject({ errCode: 'not_found' })
    }
    expect((await fetch(`${hubUrl}/healthz`)).status).toBe(404)
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('route="/v1/info",status="200"')
  })

  it('requires a key if configured', async () => {
    const dataDir = await createDataDir()
    const key = 'a-key-of-some-length'
    const env = { DATABASE_URL: external.url, HUB_REQUIRE_API_KEY: 'true', HUB_API_KEYS: key }
    const server = await startServerProcess({ dataDir, env })
    expect((await fetch(`${server.url}/v1/info`)).status).toBe(401)
    expect((await fetch(`${server.url}/v1/info`, { headers: { 'x-api-key': key } })).status).toBe(200)
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })
})

describe('SIGTERM', () => {
  it('lets running requests finish, and refuses new ones', async () => {
    const dataDir = await createDataDir()
    const server = await startServerProcess({ dataDir })
    const db = await databaseOf(dataDir)
    let answer: Promise<Response> | undefined
    await db.begin(async (sql) => {
      await sql`lock table hub.username_proofs`
      answer = fetch(`${server.url}/v1/userNameProofsByFid?fid=1`)
      const waiting = () =>
        db`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%username_proofs%'`
      await expect.poll(waiting).toHaveLength(1)
      server.child.kill('SIGTERM')
      await expect.poll(() => fetch(`${server.url}/healthz`).catch(() => 'refused')).toBe('refused')
    })
    expect((await answer)?.status).toBe(200)
    expect((await answer)?.headers.get('connection')).toBe('close')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })

  it('does not wait for requests beyond the timeout', async () => {
    const dataDir = await createDataDir()
    // The request is cut after two thirds. The last third is for the rest: a process that has not ended by then is forced
    // out with the code 1. Nothing else ends the request before.
    const limits = { SHUTDOWN_TIMEOUT_MS: '21000', REQUEST_TIMEOUT_MS: '600000' }
    const server = await startServerProcess({ dataDir, env: { DATABASE_URL: external.url, ...limits } })
    const request = sendEndlessly(server)
    await expectReady(server)
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(await request).toBe('cut')
  })

  it('stops immediately when repeated, but not when forwarded twice', async () => {
    const dataDir = await createDataDir()
    const server = await startServerProcess({ dataDir, env: { SHUTDOWN_TIMEOUT_MS: '100000' } })
    const postgres = await postgresOf(dataDir)
    const request = sendEndlessly(server)
    await expectReady(server)
    server.child.kill('SIGINT')
    server.child.kill('SIGINT')
    await sleep(1_200)
    expect(processIdentity(server.pid)).not.toBeNull()
    // Repeated, because a busy machine may deliver the first ones late.
    const repeatedSignal = setInterval(() => server.child.kill('SIGINT'), 400)
    expect(await server.ended.finally(() => clearInterval(repeatedSignal))).toEqual({ code: 1, signal: null })
    expect(await request).toBe('cut')
    await expect.poll(() => processIdentity(postgres)).toBeNull()
    await expectReady(await startServerProcess({ dataDir }))
  })

  it('repeated, stops a PostgreSQL that recovers, too', async () => {
    const dataDir = await createDataDir()
    const directory = join(dataDir, 'postgres')
    const first = await startEmbedded({
      dataDir,
      command: 'test',
      log: silentLog,
      settings: { fsync: 'off' },
    })
    await first.stop()
    // Recovery waits for a piece of the log that does not come.
    await appendFile(
      join(directory, 'postgresql.auto.conf'),
      "restore_command = 'sleep 600'\nhot_standby = off\n",
    )
    await writeFile(join(directory, 'recovery.signal'), '')
    const server = await runCommand(['serve'], { dataDir })
    await expect.poll(() => postgresOf(dataDir)).not.toBe(0)
    const postgres = await postgresOf(dataDir)
    const repeatedSignal = setInterval(() => server.child.kill('SIGINT'), 400)
    expect(await server.ended.finally(() => clearInterval(repeatedSignal))).toEqual({ code: 1, signal: null })
    await expect.poll(() => processIdentity(postgres)).toBeNull()
  })

  it('ends a server that waits for its database', async () => {
    const dataDir = await createDataDir()
    const env = { DATABASE_URL: 'postgres://plaza@127.0.0.1:1/plaza' }
    const server = await runCommand(['serve'], { dataDir, env })
    await expect.poll(() => server.output()).toContain('waiting for the database')
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
    expect(server.output()).toMatch(/"stopped"/)
    expect(server.output()).not.toContain('immediately')
  })

  it('works if nobody reads the log', async () => {
    const dataDir = await createDataDir()
    const env = { DATABASE_URL: external.url, LOG_LEVEL: 'debug' }
    const server = await startServerProcess({ dataDir, env })
    server.child.stdout?.destroy()
    server.child.stderr?.destroy()
    for (let request = 0; request < 3; request += 1) await fetch(`${server.url}/v1/info`)
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })
})

describe('crashes', () => {
  it('restarts after kill -9 of the server, with the running PostgreSQL', async () => {
    const dataDir = await createDataDir()
    const killed = await startServerProcess({ dataDir })
    const postgres = await postgresOf(dataDir)
    killed.child.kill('SIGKILL')
    await killed.ended
    const next = await startServerProcess({ dataDir })
    expect(next.output()).toContain('reused a running PostgreSQL')
    expect(await postgresOf(dataDir)).toBe(postgres)
    await expectReady(next)
    next.child.kill('SIGTERM')
    expect(await next.ended).toEqual({ code: 0, signal: null })
    expect(processIdentity(postgres)).toBeNull()
  })

  it('restarts after kill -9 of the server and of PostgreSQL', async () => {
    const dataDir = await createDataDir()
    const killed = await startServerProcess({ dataDir })
    killed.child.kill('SIGKILL')
    process.kill(await postgresOf(dataDir), 'SIGKILL')
    await killed.ended
    await expectReady(await startServerProcess({ dataDir }))
  })

  it('restarts a killed PostgreSQL on the same port', async () => {
    const dataDir = await createDataDir()
    const server = await startServerProcess({ dataDir })
    const url = await findEmbedded(dataDir)
    for (let round = 0; round < 3; round += 1) {
      const postgres = await postgresOf(dataDir)
      process.kill(postgres, 'SIGKILL')
      await expect.poll(() => postgresOf(dataDir)).not.toBe(postgres)
      await expect.poll(() => statusOf(server)).toBe(200)
    }
    expect(await findEmbedded(dataDir)).toBe(url)
  })

  it('replies 503 while the database is down, and recovers', async () => {
    const dataDir = await createDataDir()
    const server = await startServerProcess({ dataDir })
    const postgres = await postgresOf(dataDir)
    await rename(join(dataDir, 'postgres'), join(dataDir, 'away'))
    process.kill(postgres, 'SIGKILL')
    await expect.poll(() => statusOf(server)).toBe(503)
    const away = await fetch(`${server.url}/readyz`)
    expect(away.headers.get('retry-after')).toBe('1')
    expect(await away.json()).toMatchObject({ status: 'not ready', database: 'away' })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
    await rename(join(dataDir, 'away'), join(dataDir, 'postgres'))
    await expect.poll(() => statusOf(server)).toBe(200)
  })
})

describe.runIf(process.getuid?.() === 0)('as a normal user', () => {
  const nobody: SystemUser = { name: 'nobody', uid: 65534, gid: 65534 }

  it('starts, replies and stops', async ({ skip }) => {
    const cli = await builtCli()
    // Other users cannot use a checkout below a private home directory.
    if (!(await canReach(nobody, cli)) || !(await canEnter(nobody, process.cwd()))) skip()
    const dataDir = await createDataDir(nobody)
    chmodSync(dataDir, 0o700)
    const server = await startServerProcess({ dataDir, user: nobody })
    await expectReady(server)
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody.uid)
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  })
})
