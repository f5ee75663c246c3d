import { PlazaError } from '../../errors.js'
import { pause, resultWithin } from '../../process/pause.js'
import type { Database } from '../connection.js'
import { isTemporary } from '../connection-errors.js'

/** A position in the primary's write-ahead log (LSN), in bytes from its start, and the time at which it was requested. */
export interface LogPosition {
  readonly lsn: number
  /** Milliseconds of `performance.now()`. */
  readonly requestedMs: number
}

/** Time between two reads of a position, of the primary and of a replica, when no request waits for one. */
export const POSITION_INTERVAL_MS = 250

/** Time after which a server that has not said its position counts as away. */
export const ANSWER_TIMEOUT_MS = 1_000

/**
 * Positions of the primary's log over the last seconds. They say what a replica lacks: a position that was requested
 * after a commit was acknowledged includes that commit, so a write needs no statement of its own to learn its position.
 */
export class PrimaryLog {
  #positions: LogPosition[] = []
  #reading: Promise<LogPosition> | null = null
  #nextReading: Promise<LogPosition> | null = null
  #first: LogPosition | null = null
  #systemId: string | null = null

  /**
   * @param db Connections to the primary for short statements.
   * @param keepMs How long positions are kept. The last one is always kept.
   */
  constructor(
    private readonly db: Database,
    private readonly keepMs: number,
  ) {}

  /** The newest known position; undefined before the first. */
  get last(): LogPosition | undefined {
    return this.#positions.at(-1)
  }

  /** The oldest known position; undefined before the first. */
  get oldest(): LogPosition | undefined {
    return this.#positions[0]
  }

  /** The first position that this process read: its schema is complete there. Null before. */
  get first(): LogPosition | null {
    return this.#first
  }

  /** Reads what tells its cluster from all others, as `readSystemId`. */
  async systemId(): Promise<string | null> {
    this.#systemId ??= await readSystemId(this.db)
    return this.#systemId
  }

  /** A position that includes every commit that was acknowledged before this time. */
  async positionAfter(ms: number): Promise<LogPosition> {
    return this.#oldest(({ requestedMs }) => requestedMs >= ms) ?? (await this.read())
  }

  /** The oldest known position beyond this one; null at the end of what is known. */
  firstBeyond(lsn: number): LogPosition | null {
    return this.#oldest((position) => position.lsn > lsn) ?? null
  }

  /** The oldest position with a property that all newer ones have too. It is near the end, where the search starts. */
  #oldest(hasProperty: (position: LogPosition) => boolean): LogPosition | undefined {
    const index = this.#positions.findLastIndex((position) => !hasProperty(position))
    return this.#positions[index + 1]
  }

  /** Reads the position. Calls during a read share the one that follows it. */
  read(): Promise<LogPosition> {
    if (this.#reading === null) return this.#startReading()
    this.#nextReading ??= this.#reading.then(noResult, noResult).then(() => {
      this.#nextReading = null
      return this.#startReading()
    })
    return this.#nextReading
  }

  /** Reads positions regularly until the signal aborts. Those of a primary that is away are missing. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.read().catch(noResult)
      await pause(POSITION_INTERVAL_MS, signal)
    }
  }

  #startReading(): Promise<LogPosition> {
    const reading = this.#readPosition()
      .catch((error: unknown) => {
        // It may be another cluster when it is back: one that was upgraded, or restored from a dump.
        this.#systemId = null
        throw error
      })
      .finally(() => {
        this.#reading = null
      })
    this.#reading = reading
    return reading
  }

  async #readPosition(): Promise<LogPosition> {
    const requestedMs = performance.now()
    const lsn = await resultWithin(ANSWER_TIMEOUT_MS, readPrimaryPosition(this.db))
    if (lsn === null) throw new PlazaError('unavailable', 'the primary did not say its position in time')
    const position = { lsn, requestedMs }
    // A fail-over may continue from an earlier position: nothing that was known holds.
    if (this.last && position.lsn < this.last.lsn) this.#positions = []
    this.#positions.push(position)
    if (this.#first === null || position.lsn < this.#first.lsn) this.#first = position
    while (this.#positions.length > 1 && this.#positions[0]!.requestedMs < requestedMs - this.keepMs) {
      this.#positions.shift()
    }
    return position
  }
}

const noResult = () => {}

/**
 * Reads the identifier that a primary shares with its replicas alone. Empty where it may not be read, as in some managed services;
 * null while the server is away.
 */
export async function readSystemId(db: Database): Promise<string | null> {
  const reading = db<[{ id: string }]>`select system_identifier::text as id from pg_control_system()`
  return await resultWithin(
    ANSWER_TIMEOUT_MS,
    reading.then(
      ([row]) => row.id,
      (error: unknown) => (isTemporary(error) ? null : ''),
    ),
  )
}

/**
 * Reads the end of what the primary has on disk, which is what its replicas can have. Acknowledged commits are on disk,
 * unless the server runs with `synchronous_commit = off`: then it is the end of what was written. On an idle server
 * that end may be a page header further than any replica gets.
 */
async function readPrimaryPosition(db: Database): Promise<number> {
  const [row] = await db<{ lsn: number }[]>`
    select (case current_setting('synchronous_commit')
        when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn()
      end - '0/0'::pg_lsn)::bigint as lsn`
  return row!.lsn
}
