import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopCluster } from '../src/db/cluster.js'
import { readPostmaster } from '../src/db/cluster-process.js'
import { clusterDirectory } from '../src/db/data-dir.js'
import { dataDirOwner } from '../src/db/data-dir-lock.js'

/** Data directories of test runs are named so. */
export const TEST_DIR_PREFIX = 'plaza-test-'

/** A run that was killed leaves its PostgreSQL and its files: the next run ends and removes them. */
export async function removeAbandoned(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(TEST_DIR_PREFIX))
  for (const name of names) {
    const dataDir = join(tmpdir(), name)
    try {
      if (dataDirOwner(dataDir) !== null) continue
      const directory = await clusterDirectory(dataDir)
      const postmaster = await readPostmaster(directory)
      if (postmaster !== null) await stopCluster(postmaster.pid, directory)
      await rm(dataDir, { recursive: true, force: true })
    } catch {
      // Another user's, or another run is removing it now.
    }
  }
}
