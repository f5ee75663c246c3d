import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { builtCli } from '../../../test/built-cli.js'
import { createDataDir, runCommand } from '../../../test/server-process.js'
import type { Log } from '../log/log.js'
import { silentLog } from '../log/log.js'
import { readPostmaster } from './cluster-process.js'
import { connect } from './connection.js'
import { boundClusterLog } from './data-dir.js'
import { DataDirBusyError, dataDirOwner, lockDataDir } from './data-dir-lock.js'
import { type EmbeddedDatabase, type EmbeddedOptions, findEmbedded, startEmbedded } from './embedded.js'
import { copyBinaries, findBinaries } from './embedded-binaries.js'
import { canEnter, canReach, type SystemUser } from './system-user.js'

/** On a busy disk a durable start takes seconds. Only the test of durability needs it. */
const FAST = { fsync: 'off' }

type Options = Partial<Omit<EmbeddedOptions, 'dataDir'>>

async function start(dataDir: string, more: Options = {}): Promise<EmbeddedDatabase> {
  const options = { command: 'test', log: silentLog, detached: false, settings: FAST, ...more }
  const embedded = await startEmbedded({ dataDir, ...options })
  onTestFinished(() => embedded.stop())
  return embedded
}

async function query(url: string, sql: string): Promise<unknown> {
  const db = connect(url, { poolSize: 1, applicationName: 'plaza test' })
  try {
    return (await db.unsafe(sql)).map((row) => Object.values(row)[0])[0]
  } finally {
    await db.end({ timeout: 1 })
  }
}

describe('the embedded PostgreSQL', () => {
  it('its log: has no statements of errors; what is too long becomes the previous log while it runs', async () => {
    const dataDir = await createDataDir()
    const { url } = await start(dataDir)
    const fail = () => query(url, "select 'a value' from no_such_table")
    await expect(fail()).rejects.toThrow('no_such_table')
    const logFile = join(dataDir, 'postgres.log')
    const log = () => readFileSync(logFile, 'utf8')
    await expect.poll(log).toContain('relation "no_such_table" does not exist')
    expect(log()).not.toContain('a value')
    const before = log()
    await boundClusterLog(logFile, before.length)
    expect(log()).toBe(before)
    await boundClusterLog(logFile, before.length - 1)
    expect([log(), readFileSync(`${logFile}.1`, 'utf8')]).toEqual(['', before])
    await expect(fail()).rejects.toThrow('no_such_table')
    await expect.poll(log).toMatch(/^[^\0]*no_such_table/)
  })

  it('keeps data between starts', async () => {
    const dataDir = await createDataDir()
    const first = await start(dataDir)
    await query(first.url, 'create table kept (n int); insert into kept values (7)')
    await first.stop()
    expect(await findEmbedded(dataDir)).toBeNull()
    expect(await query((await start(dataDir)).url, 'select n from kept')).toBe(7)
  })

  it('is durable, has checksums, sorts equally on every machine, and refuses other users', async () => {
    const { url, socketUrl } = await start(await createDataDir(), { settings: {} })
    const setting = (name: string) => query(url, `show ${name}`)
    expect(await setting('fsync')).toBe('on')
    expect(await setting('synchronous_commit')).toBe('on')
    expect(await setting('data_checksums')).toBe('on')
    expect(await setting('listen_addresses')).toBe('127.0.0.1')
    expect(await query(socketUrl, 'select inet_server_addr()')).toBe(null)
    expect(
      await query(
        url,
        'select datlocprovider::text || datlocale from pg_database where datname = current_database()',
      ),
    ).toBe('bC.UTF-8')
    expect(await query(url, `select string_agg(c, '' order by c) from unnest('{b,é,B,a}'::text[]) c`)).toBe(
      'Babé',
    )
    for (const wrong of [new URL(url), new URL(socketUrl)]) {
      wrong.password = 'guess'
      await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/)
    }
  })

  it.runIf(process.platform === 'linux')('does not take the processor from the server', async () => {
    // From sched(7).
    const SCHED_BATCH = '3'
    const { socketUrl } = await start(await createDataDir())
    // Read by the session itself, which ends with its query. Without its name, which is in parentheses, the first field is the
    // third of proc(5).
    const stat = String(await query(socketUrl, "select pg_read_file('/proc/self/stat')"))
    const fields = stat.replace(/^.*\) /s, '').split(' ')
    expect(fields[41 - 3]).toBe(SCHED_BATCH)
  })

  it('uses TCP alone where the path of a socket would be too long', async () => {
    const dataDir = join(await createDataDir(), 'x'.repeat(90))
    mkdirSync(dataDir)
    const { url, socketUrl } = await start(dataDir)
    expect(socketUrl).toBe(url)
  })

  it('leaves no sockets of earlier starts behind', async () => {
    const dataDir = await createDataDir()
    const sockets = () => readdirSync(join(dataDir, 'postgres')).filter((name) => name.startsWith('.s.PGSQL'))
    let abort = () => {}
    await start(dataDir, {
      onStart(stopNow) {
        abort = stopNow
      },
    })
    expect(sockets()).toHaveLength(2)
    abort()
    await start(dataDir)
    expect(sockets()).toHaveLength(2)
  })

  it('does not start twice', async () => {
    const dataDir = await createDataDir()
    await start(dataDir)
    const second = startEmbedded({ dataDir, command: 'serve', log: silentLog })
    await expect(second).rejects.toThrow(`in use by process ${process.pid} (plaza test)`)
    await expect(second).rejects.toBeInstanceOf(DataDirBusyError)
  })

  it('starts after a crash if another program has the stale pid', async () => {
    const dataDir = await createDataDir()
    const first = await start(dataDir)
    const postmaster = readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8')
    await first.stop()
    writeFileSync(join(dataDir, 'plaza.pid'), `${process.pid}\nearlier\nserve\n`)
    writeFileSync(join(dataDir, 'postgres/postmaster.pid'), postmaster.replace(/^\d+/, String(process.pid)))
    expect(await query((await start(dataDir)).url, 'select 1')).toBe(1)
  })

  it('is not restarted while its process may open no more files', async () => {
    await builtCli()
    const script = 'ulimit -n 150 && exec "$0" test/faults/few-files.mjs "$1"'
    const lines = execFileSync('sh', ['-c', script, process.execPath, await createDataDir()], {
      encoding: 'utf8',
    })
    expect(JSON.parse(lines)).toEqual(['cannot tell whether PostgreSQL runs: raise the limit of open files'])
  })

  it('that cannot be restarted: the log has one line of it, however often it is tried', async () => {
    const dataDir = await createDataDir()
    const lines: string[] = []
    const note = (_fields: object, message: string) => lines.push(message)
    await start(dataDir, { log: { ...silentLog, error: note, info: note } })
    lines.length = 0
    const settingsFile = join(dataDir, 'postgres/postgresql.conf')
    const settings = readFileSync(settingsFile)
    appendFileSync(settingsFile, 'no_such_setting = 1\n')
    process.kill((await readPostmaster(join(dataDir, 'postgres')))!.pid, 'SIGKILL')
    const attempts = () =>
      readFileSync(join(dataDir, 'postgres.log'), 'utf8').split('unrecognized configuration parameter').length
    await expect.poll(attempts).toBeGreaterThan(2)
    writeFileSync(settingsFile, settings)
    await expect.poll(() => lines.at(-1)).toBe('PostgreSQL restarted')
    expect(lines).toEqual([
      'PostgreSQL ended unexpectedly: restarting it',
      expect.stringContaining('PostgreSQL restart failed'),
      'PostgreSQL restarted',
    ])
  })

  it('replaces an incomplete cluster', async () => {
    const dataDir = await createDataDir()
    mkdirSync(join(dataDir, 'postgres.draft'))
    writeFileSync(join(dataDir, 'postgres.draft/PG_VERSION'), '18')
    expect(await query((await start(dataDir)).url, 'select 1')).toBe(1)
  })

  it('reports a missing password of a cluster', async () => {
    const dataDir = await createDataDir()
    await (await start(dataDir)).stop()
    execFileSync('rm', [join(dataDir, 'postgres.password')])
    await expect(start(dataDir)).rejects.toThrow(/not its password/)
    expect(dataDirOwner(dataDir)).toBeNull()
  })
})

describe('the lock of a data directory', () => {
  it('is granted to one of many concurrent callers, also over a stale file', async () => {
    const dataDir = await createDataDir()
    writeFileSync(join(dataDir, 'plaza.pid'), '1\nearlier\nserve\n')
    const unlock = lockDataDir(dataDir, 'first')
    expect(() => lockDataDir(dataDir, 'second')).toThrow(DataDirBusyError)
    expect(dataDirOwner(dataDir)).toMatchObject({ pid: process.pid, command: 'first' })
    unlock()
    expect(dataDirOwner(dataDir)).toBeNull()
    lockDataDir(dataDir, 'third')()
  })

  it('that cannot be written, as on a full disk, leaves no file behind', async () => {
    const dataDir = await createDataDir()
    // Files can be made, but hold no byte.
    const through = ['sh', '-c', 'ulimit -f 0 && exec "$0" "$@"']
    const server = await runCommand(['serve'], { dataDir, through })
    expect(await server.ended).toEqual({ code: 1, signal: null })
    expect(server.output()).toContain('EFBIG')
    expect(readdirSync(dataDir)).toEqual([])
  })
})

describe.runIf(process.getuid?.() === 0)('for root', () => {
  const nobodyUser: SystemUser = { name: 'nobody', uid: 65534, gid: 65534 }

  it('places the cluster elsewhere if its user cannot access the data directory, and finds it again', async () => {
    const dataDir = await createDataDir()
    const systemDir = await createDataDir()
    chmodSync(dataDir, 0o700)
    const lines: string[] = []
    const log: Log = { ...silentLog, info: (_fields, message) => lines.push(message) }
    const first = await start(dataDir, { systemDir, log })
    expect(lines.join()).toContain(`cannot access ${dataDir}: the database is in another directory`)
    const link = join(dataDir, 'postgres')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readlinkSync(link).startsWith(systemDir)).toBe(true)
    expect(statSync(readlinkSync(link)).mode & 0o777).toBe(0o700)
    expect(await findEmbedded(dataDir)).toBe(first.socketUrl)
    await query(first.url, 'create table kept ()')
    await first.stop()
    lines.length = 0
    const next = await start(dataDir, { systemDir, log })
    expect(lines).toContain('the database is outside of DATA_DIR: a backup needs this directory as well')
    expect(await query(next.url, 'select count(*) from kept')).toBe(0)
    await next.stop()

    // As after a restore of the data directory alone, or without the disk of the other one.
    const target = readlinkSync(link)
    renameSync(target, `${target}.away`)
    await expect(start(dataDir, { systemDir })).rejects.toThrow(
      `${link} is a link to ${target}, where no database is: mount its disk or restore that directory`,
    )
    expect(existsSync(target)).toBe(false)
    renameSync(`${target}.away`, target)

    // As after a copy that followed the link.
    rmSync(link)
    cpSync(target, link, { recursive: true })
    execFileSync('chown', ['-R', '--reference', target, link])
    await expect(start(dataDir, { systemDir })).rejects.toThrow(
      /cannot access .*: let it pass through .*, or move that directory/,
    )
  })

  it('copies the programs so that every user can run them', async () => {
    const parent = await createDataDir()
    const copy = await copyBinaries(await findBinaries(), parent)
    const options = { uid: nobodyUser.uid, gid: nobodyUser.gid, encoding: 'utf8', cwd: '/' } as const
    expect(execFileSync(copy.postgres, ['--version'], options)).toMatch(/PostgreSQL/)
    expect(await canReach(nobodyUser, copy.initdb)).toBe(true)
    // The second call finds the existing copy.
    expect(await copyBinaries(await findBinaries(), parent)).toEqual(copy)
  })

  it('a copy of the programs that fails leaves nothing behind', async () => {
    const [source, parent] = [await createDataDir(), await createDataDir()]
    writeFileSync(join(source, 'first'), 'copied')
    execFileSync('mkfifo', [join(source, 'pipe')])
    const binaries = { ...(await findBinaries()), root: source }
    await expect(copyBinaries(binaries, parent)).rejects.toThrow('FIFO')
    expect(readdirSync(parent)).toEqual([])
  })

  it('checks access of another user in every parent directory', async () => {
    const dataDir = await createDataDir()
    writeFileSync(join(dataDir, 'file'), '', { mode: 0o644 })
    expect(await canReach(nobodyUser, join(dataDir, 'file'))).toBe(true)
    expect(await canEnter(nobodyUser, dataDir)).toBe(true)
    chmodSync(dataDir, 0o700)
    expect(await canReach(nobodyUser, join(dataDir, 'file'))).toBe(false)
    expect(await canEnter(nobodyUser, dataDir)).toBe(false)
  })
})
