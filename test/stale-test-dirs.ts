import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopCluster } from '../src/platform/db/cluster.js'
import { readPostmaster } from '../src/platform/db/cluster-process.js'
import { clusterDirectory } from '../src/platform/db/data-dir.js'
import { processIdentity } from '../src/platform/process/process-identity.js'

const PREFIX = 'plaza-test-'

/**
 * Creates a data directory. Its name contains the pid of the run, so that the next run can detect that it has
 * ended.
 */
export async function makeTestDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  // PostgreSQL runs as another user if the tests run as root.
  await chmod(dataDir, 0o711)
  return dataDir
}

/** Stops PostgreSQL and deletes files of a killed run. */
export async function removeStaleTestDirs(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? []
    if (pid === undefined || processIdentity(Number(pid)) !== null) continue
    const dataDir = join(tmpdir(), name)
    try {
      const directory = await clusterDirectory(dataDir)
      const postmaster = await readPostmaster(directory)
      if (postmaster !== null) await stopCluster(postmaster.pid, directory)
      await rm(dataDir, { recursive: true, force: true })
    } catch {
      // It belongs to another user, or another run deletes it.
    }
  }
}
