import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'
import { processesIn, readPostmaster } from '../../src/platform/db/cluster-process.js'
import { clusterDirectory } from '../../src/platform/db/data-dir.js'
import { startEmbedded } from '../../src/platform/db/embedded.js'
import { silentLog } from '../../src/platform/log/log.js'
import { createDataDir } from '../server-process.js'

const run = promisify(execFile)

const DISK_MEGABYTES = 400
const FILL_BYTES = 1024 * 1024

/** A PostgreSQL of the run, which faults befall. */
export interface ChaosDatabase {
  readonly url: string
  /** Ends its main process without notice. It is started again, and recovers. */
  kill(): Promise<void>
  /** Stops all its processes, until they are thawed. */
  freeze(): () => void
  /** Leaves no space on its disk, until it is freed. Undefined: it has no disk of its own. */
  readonly fillDisk: (() => Promise<() => Promise<void>>) | undefined
}

/** Starts a PostgreSQL, on a small disk of its own where one can be mounted. */
export async function startChaosDatabase(): Promise<ChaosDatabase> {
  const dataDir = await createDataDir()
  const hasDisk = await mountDisk(dataDir)
  const database = await startEmbedded({
    dataDir,
    command: 'chaos',
    log: silentLog,
    // What a killed process has written is in the memory of the system, which lives on.
    settings: { fsync: 'off', shared_buffers: '64MB', max_wal_size: '96MB', min_wal_size: '32MB' },
  })
  onTestFinished(() => database.stop())
  const directory = await clusterDirectory(dataDir)
  return {
    url: database.url,
    kill: async () => {
      const postmaster = await readPostmaster(directory)
      if (postmaster !== null) process.kill(postmaster.pid, 'SIGKILL')
    },
    freeze: () => {
      const pids = processesIn(directory)
      for (const pid of pids) signal(pid, 'SIGSTOP')
      return () => {
        for (const pid of pids) signal(pid, 'SIGCONT')
      }
    },
    fillDisk: hasDisk ? () => fillDisk(dataDir) : undefined,
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile.
  }
}

/** @returns false where this user may mount nothing. */
async function mountDisk(dataDir: string): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false
  const mounted = await run('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${DISK_MEGABYTES}m,mode=0711`,
    'tmpfs',
    dataDir,
  ]).then(
    () => true,
    () => false,
  )
  if (mounted) onTestFinished(async () => void (await run('umount', ['--lazy', dataDir])))
  return mounted
}

async function fillDisk(dataDir: string): Promise<() => Promise<void>> {
  const path = join(dataDir, 'ballast')
  const file = await open(path, 'w')
  const block = Buffer.alloc(FILL_BYTES)
  try {
    for (;;) await file.write(block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
  return () => rm(path)
}
