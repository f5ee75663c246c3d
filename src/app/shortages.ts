import { Counter } from 'prom-client'
import { type Shortage, shortageOf } from '../platform/db/connection-errors.js'
import { isRecent } from '../platform/durations.js'
import type { Metrics } from '../platform/metrics.js'
import { readFreeBytes } from './disk-space.js'

/** PostgreSQL writes its log in files of this size, and ends when it cannot make the next one. */
const MIN_FREE_BYTES = 16 * 2 ** 20

/** Time without a statement that failed of a shortage after which it counts as over. */
const RECENT_MS = 60_000

/** The shortages of a process, while it counts them. */
export interface ShortageWatch {
  /** Takes the SQLSTATE of each error. */
  note(state: string): void
  /** Adds the count of failed statements. */
  observe(metrics: Metrics): void
  /** Reads what the database has lacked lately, or is about to in the directory of an embedded database. */
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
        help: 'Statements that failed because the database has no storage or memory left, or takes no writes',
        labelNames: ['shortage'],
        registers: [registry],
      })
      for (const shortage of ['InsufficientStorage', 'InsufficientMemory', 'ReadOnly'])
        failed.inc({ shortage }, 0)
      count = (shortage) => failed.inc({ shortage })
    },
    async read() {
      const isFull = recent.isRecent('InsufficientStorage') || (await isAlmostFull(dataDir))
      return [
        ...(isFull ? ['InsufficientStorage' as const] : []),
        ...(['InsufficientMemory', 'ReadOnly'] as const).filter((shortage) => recent.isRecent(shortage)),
      ]
    },
  }
}

/**
 * Shortages of the database, by the errors of all statements of this process. PostgreSQL does not say how much is left:
 * that something failed a moment ago is all that is known.
 */
class RecentShortages {
  readonly #lastMs = new Map<Shortage, number>()

  /**
   * @param clock Unix milliseconds.
   * @param onShortage Called for each failed statement.
   */
  constructor(
    private readonly clock: () => number,
    private readonly onShortage: (shortage: Shortage) => void = () => {},
  ) {}

  /** Takes the SQLSTATE of an error. */
  note(state: string): void {
    const shortage = shortageOf(state)
    if (shortage === null) return
    this.#lastMs.set(shortage, this.clock())
    this.onShortage(shortage)
  }

  /** Whether a statement failed of it lately. */
  isRecent(shortage: Shortage): boolean {
    const lastMs = this.#lastMs.get(shortage)
    return lastMs !== undefined && isRecent(lastMs, this.clock(), RECENT_MS)
  }
}

async function isAlmostFull(dataDir: string | undefined): Promise<boolean> {
  return dataDir !== undefined && (await readFreeBytes(dataDir)) < MIN_FREE_BYTES
}
