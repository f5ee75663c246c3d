import { statfs } from 'node:fs/promises'
import { Counter } from 'prom-client'
import type { Shortage } from '../platform/db/connection-errors.js'
import { RecentShortages } from '../platform/db/recent-shortages.js'
import type { Metrics } from '../platform/metrics.js'

/** PostgreSQL writes its log in files of this size, and ends when it cannot make the next one. */
const LEAST_FREE_BYTES = 16 * 2 ** 20

/** The shortages of a process, while it counts them. */
export interface ShortageWatch {
  /** Takes the SQLSTATE of each error. */
  note(state: string): void
  /** Adds the count of failed statements. */
  observe(metrics: Metrics): void
  /** What has run out lately, or is about to in the directory of an embedded database. */
  read(): Promise<readonly Shortage[]>
}

/** @param dataDir The directory of the embedded database; undefined for a database elsewhere. */
export function watchShortages(dataDir: string | undefined): ShortageWatch {
  let count: (shortage: Shortage) => void = () => {}
  const recent = new RecentShortages(Date.now, (shortage) => count(shortage))
  return {
    note: (state) => recent.note(state),
    observe({ registry }) {
      const failed = new Counter({
        name: 'plaza_database_shortages_total',
        help: 'Statements that failed because the database has no storage or memory left',
        labelNames: ['shortage'],
        registers: [registry],
      })
      for (const shortage of ['InsufficientStorage', 'InsufficientMemory']) failed.inc({ shortage }, 0)
      count = (shortage) => failed.inc({ shortage })
    },
    async read() {
      const isFull = recent.isRecent('InsufficientStorage') || (await isAlmostFull(dataDir))
      return [
        ...(isFull ? ['InsufficientStorage' as const] : []),
        ...(recent.isRecent('InsufficientMemory') ? ['InsufficientMemory' as const] : []),
      ]
    },
  }
}

async function isAlmostFull(dataDir: string | undefined): Promise<boolean> {
  if (dataDir === undefined) return false
  const free = await statfs(dataDir).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  )
  return free < LEAST_FREE_BYTES
}
