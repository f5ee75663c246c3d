import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopCluster } from '../src/platform/db/cluster.js'
import { readPostmaster } from '../src/platform/db/cluster-process.js'
import { clusterDirectory } from '../src/platform/db/data-dir.js'
import { processIdentity } from '../src/platform/process/process-identity.js'

const PREFIX = 'plaza-test-'

/** Makes a data directory. Its name holds the pid of the run: that is how the next run knows whether it is over. */
export async function makeTestDir(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(dataDir, 0o711)
  return dataDir
}

/** A run that was killed leaves its PostgreSQL and its files: the next run ends and removes them. */
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
      // Another user's, or another run is removing it now.
    }
  }
}
