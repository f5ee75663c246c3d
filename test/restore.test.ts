import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chown, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, it, vi } from 'vitest'
import {
  CLUSTER_ROLE,
  type ClusterLocation,
  initCluster,
  startCluster,
  stopCluster,
} from '../src/platform/db/cluster.js'
import { connect, type Database } from '../src/platform/db/connection.js'
import { findClusterLocation } from '../src/platform/db/data-dir.js'
import { migrate } from '../src/platform/db/migrate.js'
import { silentLog } from '../src/platform/log/log.js'
import { freePort } from '../src/platform/process/free-port.js'
import { farcasterSecondsFromUnixMs } from '../src/protocol/time.js'
import { TestUser } from './network.js'
import { startTestServer, type TestServer } from './running-server.js'
import { createDataDir, runCommand } from './server-process.js'
import { makeTestDir } from './stale-test-dirs.js'

// Starts two clusters, and a command.
const PASSWORD = 'plaza'
const alice = new TestUser(1)

const guide = readFileSync('docs/operate.md', 'utf8')
const [, archiveCommand = ''] = /^archive_command = '(.*)'$/m.exec(guide) ?? []

/** A cluster of the test with the log archive that docs/operate.md describes. */
async function startArchiving() {
  const dataDir = await makeTestDir()
  const archive = join(dataDir, 'archive')
  await mkdir(archive)
  const location = await findClusterLocation(dataDir, silentLog)
  if (location.user !== null) await chown(archive, location.user.uid, location.user.gid)
  await initCluster(location, PASSWORD, { sync: false })
  const start = async (at: ClusterLocation, settings: Record<string, string>) => {
    const port = await freePort()
    const running = await startCluster(at, {
      port,
      settings: { fsync: 'off', shared_buffers: '32MB', ...settings },
      detached: false,
    })
    afterAll(() => stopCluster(running.pid, at.directory))
    return {
      pid: running.pid,
      urlOf: (database: string) => `postgres://${CLUSTER_ROLE}:${PASSWORD}@127.0.0.1:${port}/${database}`,
    }
  }
  const { pid, urlOf } = await start(location, {
    archive_mode: 'on',
    archive_command: archiveCommand.replaceAll('/backup/wal', archive),
  })
  const admin = open(urlOf('postgres'))
  await admin`create database plaza`
  await migrate(urlOf('plaza'), silentLog)
  return { dataDir, archive, location, start, pid, url: urlOf('plaza'), admin }
}

function open(url: string): Database {
  const db = connect(url, { poolSize: 1, applicationName: 'plaza test' })
  afterAll(() => db.end({ timeout: 1 }))
  return db
}

/** Copies the running cluster, as `pg_basebackup` does: the embedded PostgreSQL comes without that program. */
async function backUp(admin: Database, location: ClusterLocation, directory: string): Promise<void> {
  const session = await admin.reserve()
  await session`select pg_backup_start('nightly', true)`
  await promisify(execFile)('cp', ['-a', location.directory, directory])
  await promisify(execFile)('rm', ['-rf', join(directory, 'pg_wal'), join(directory, 'postmaster.pid')])
  await mkdir(join(directory, 'pg_wal'), { mode: 0o700 })
  const [label] = await session<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`
  session.release()
  await writeFile(join(directory, 'backup_label'), label!.labelfile)
  await writeFile(join(directory, 'recovery.signal'), '')
  if (location.user === null) return
  const { uid, gid } = location.user
  for (const name of ['pg_wal', 'backup_label', 'recovery.signal'])
    await chown(join(directory, name), uid, gid)
}

/** Ends a cluster at once: one that is stopped in order archives the rest of its log. */
async function crash(pid: number): Promise<void> {
  process.kill(pid, 'SIGQUIT')
  // Signal 0 asks whether the process is there.
  await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 30_000 })
}

/** Copies the pieces of the log that are in the damaged directory alone, and returns their names. */
async function copyUnarchivedLog(from: string, archive: string, restoredTo: string): Promise<string[]> {
  const archived = new Set(await readdir(archive))
  const left = (await readdir(from)).filter((name) => /^[0-9A-F]{24}$/.test(name) && !archived.has(name))
  for (const name of left)
    await promisify(execFile)('cp', ['-p', join(from, name), join(restoredTo, 'pg_wal', name)])
  return left
}

// Each cast is a second later than the one before: casts of one second are ordered by their hash.
let castTime = farcasterSecondsFromUnixMs(Date.now()) - 100

async function cast(server: TestServer, text: string): Promise<void> {
  const message = alice.cast(text, castTime++)
  expect(await server.hub.submit([message])).toEqual([null])
}

async function textsOf(server: TestServer): Promise<string[]> {
  const { casts } = await server.get('feed/user/casts?fid=1')
  return casts.map(({ text }: { text: string }) => text)
}

/** Consumers of the log that are not at its end. */
async function lateConsumers(db: Database): Promise<readonly object[]> {
  return await db`
    select name, shard, next_id from hub.consumers c
    where next_id <= (select max(id) from hub.events e where e.shard = c.shard)`
}

it('a database that is restored to a time -> what was written until then, and a server that goes on', async () => {
  const { dataDir, archive, location, start, pid, url, admin } = await startArchiving()
  const server = await startTestServer(url, { CRAWL_EMBEDS: 'false' })
  await server.hub.submitOnChainEvents(alice.onChain())
  await cast(server, 'before the backup')
  const restoredTo = join(dataDir, 'restored')
  await backUp(admin, location, restoredTo)

  await cast(server, 'after the backup')
  const [{ at }] = await admin<[{ at: string }]>`select clock_timestamp()::text as at`
  await cast(server, 'by mistake')
  expect(await textsOf(server)).toEqual(['by mistake', 'after the backup', 'before the backup'])
  await server.stop()
  await crash(pid)
  const left = await copyUnarchivedLog(join(location.directory, 'pg_wal'), archive, restoredTo)
  expect(left).not.toEqual([])

  const { urlOf } = await start(
    { ...location, directory: restoredTo, logFile: join(dataDir, 'restored.log') },
    {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_time: at,
      recovery_target_action: 'promote',
    },
  )
  const restored = urlOf('plaza')
  const db = open(restored)
  await expect.poll(async () => (await db`select pg_is_in_recovery() as is`)[0]?.is).toBe(false)

  const again = await startTestServer(restored, { CRAWL_EMBEDS: 'false' })
  expect(await textsOf(again)).toEqual(['after the backup', 'before the backup'])
  await cast(again, 'after the restore')
  expect(await textsOf(again)).toEqual(['after the restore', 'after the backup', 'before the backup'])
  await expect.poll(() => lateConsumers(db)).toEqual([])
  const recount = await runCommand(['recount'], {
    dataDir: await createDataDir(),
    env: { DATABASE_URL: restored },
  })
  expect(await recount.ended, recount.output()).toMatchObject({ code: 0 })
  expect(recount.output()).toContain('messages in sets: correct')
  expect(recount.output()).not.toContain('wrong')
})
