import { resultWithin } from '../../process/pause.js'
import type { Database } from '../connection.js'
import { isRetryable, outageOf } from '../connection-errors.js'
import type { PrimaryLog } from './primary-log.js'
import type { RecentWrites, WriterKey } from './recent-writes.js'
import { type Replica, ReplicaLostError } from './replica.js'

/**
 * Outcome of a read. Of a replica: `used`, `waited` (used after it had replayed the caller's writes), `failed`
 * (repeated on the primary). Of none: `behind` (no replica had the caller's writes in time), `unavailable`.
 */
export type ReadOutcome = 'used' | 'waited' | 'failed' | 'behind' | 'unavailable'

export interface ReadRoutingOptions {
  /** Connections to the primary for reads. */
  readonly primary: Database
  readonly primaryLog: PrimaryLog
  readonly replicas: readonly Replica[]
  readonly writes: RecentWrites
  /** Counts reads. The name is null when no replica was used. */
  readonly onRead?: (replica: string | null, outcome: ReadOutcome) => void
}

/** Time that a caller waits for a replica to replay its own writes; then the primary answers. */
const OWN_WRITES_WAIT_MS = 100

interface Choice {
  readonly replica: Replica | null
  readonly outcome: ReadOutcome
}

/**
 * The one place that decides which database a read uses. All statements of a request run on one database.
 *
 * A replica is used that lags less than the bound and has replayed what the caller wrote through this process. The
 * primary answers when there is none, and again when a replica fails during a read: work must be repeatable.
 */
export class ReadRouting {
  #turn = 0

  constructor(private readonly options: ReadRoutingOptions) {}

  /** Runs the reads of one request. They include the acknowledged writes of the same callers in this process. */
  async run<Result>(callers: readonly WriterKey[], work: (db: Database) => Promise<Result>): Promise<Result> {
    const { primary, onRead } = this.options
    const { replica, outcome } = await this.#choose(callers)
    if (replica === null) {
      onRead?.(null, outcome)
      return await work(primary)
    }
    try {
      const result = await replica.run(work)
      onRead?.(replica.name, outcome)
      return result
    } catch (error) {
      if (!isFailureOfReplica(error)) throw error
      replica.check()
      onRead?.(replica.name, 'failed')
      return await work(primary)
    }
  }

  /** Remembers that these callers' writes were just acknowledged: their next reads include them. */
  wrote(callers: Iterable<WriterKey>): void {
    this.options.writes.add(callers)
  }

  async #choose(callers: readonly WriterKey[]): Promise<Choice> {
    const usable = this.options.replicas.filter((replica) => replica.isUsable)
    if (usable.length === 0) return { replica: null, outcome: 'unavailable' }
    const wroteMs = this.options.writes.lastOf(callers)
    if (wroteMs === null) return { replica: this.#next(usable), outcome: 'used' }
    const choice = await resultWithin(OWN_WRITES_WAIT_MS, this.#withCommitsBefore(wroteMs, usable))
    return choice ?? { replica: null, outcome: 'behind' }
  }

  #next(usable: readonly Replica[]): Replica {
    this.#turn = (this.#turn + 1) % usable.length
    return usable[this.#turn]!
  }

  /** A replica that has replayed all commits which were acknowledged before this time, or the first that will have. */
  async #withCommitsBefore(ms: number, usable: readonly Replica[]): Promise<Choice | null> {
    try {
      const { lsn } = await this.options.primaryLog.positionAfter(ms)
      const ready = usable.filter((replica) => replica.hasReplayed(lsn))
      if (ready.length > 0) return { replica: this.#next(ready), outcome: 'used' }
      const replica = await Promise.any(
        usable.map(async (replica) => {
          if (await replica.waitFor(lsn, OWN_WRITES_WAIT_MS)) return replica
          throw new ReplicaLostError(`the replica ${replica.name} is behind`)
        }),
      )
      return { replica, outcome: 'waited' }
    } catch {
      return null
    }
  }
}

/**
 * Lost, or the statement was canceled because it blocked the replay of the log (SQLSTATE 40001). A statement that took too
 * long would do so on the primary as well.
 */
function isFailureOfReplica(error: unknown): boolean {
  const outage = outageOf(error)
  const isOutage = outage !== null && outage !== 'StatementTimeout'
  return error instanceof ReplicaLostError || isOutage || isRetryable(error)
}
