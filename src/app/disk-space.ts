import { statfs } from 'node:fs/promises'
import { clusterDirectory } from '../platform/db/data-dir.js'
import { MINUTE_MS } from '../platform/durations.js'
import type { Log } from '../platform/log/log.js'
import type { ScheduledJob } from '../platform/scheduler/scheduled-jobs.js'

/** Below this an operator is warned: PostgreSQL writes up to 2 GB of log between two checkpoints (`max_wal_size`), mostly over old files. */
const MIN_QUIET_FREE_BYTES = 2 ** 30
/** The warning is over well above the limit, so that one around it is not logged over and over. */
const MIN_HEALED_FREE_BYTES = 2 * MIN_QUIET_FREE_BYTES

/** Reads the free bytes of the disk of an embedded database; infinity where they cannot be read. */
export async function readFreeBytes(dataDir: string): Promise<number> {
  // The database may be on another disk, behind a link.
  return await statfs(await clusterDirectory(dataDir))
    .catch(() => statfs(dataDir))
    .then(
      ({ bavail, bsize }) => bavail * bsize,
      () => Number.POSITIVE_INFINITY,
    )
}

/** Warns once when the disk of an embedded database is almost full, and says when that is over. It needs no database. */
export function diskSpaceJob(dataDir: string, log: Log, readFree = readFreeBytes): ScheduledJob {
  let isLow = false
  const run = async () => {
    const freeBytes = await readFree(dataDir)
    if (!isLow && freeBytes < MIN_QUIET_FREE_BYTES) {
      isLow = true
      log.warn(
        { freeBytes, directory: dataDir },
        'the disk of the database is almost full: free space, or move DATA_DIR to a larger disk. Without space PostgreSQL ends',
      )
    } else if (isLow && freeBytes >= MIN_HEALED_FREE_BYTES) {
      isLow = false
      log.info({ freeBytes, directory: dataDir }, 'the disk of the database has space again')
    }
  }
  return { name: 'disk space', everyMs: MINUTE_MS, perProcess: true, run }
}
