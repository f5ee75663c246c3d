import type { Log } from '../../log/log.js'
import { pause, resultWithin } from '../../process/pause.js'
import { connect, type Database } from '../connection.js'
import {
  ANSWER_TIMEOUT_MS,
  type LogPosition,
  POSITION_INTERVAL_MS,
  type PrimaryLog,
  readSystemId,
} from './primary-log.js'

export interface ReplicaOptions {
  /** Leads to one server, not to a balancer before several: the positions are those of one. */
  readonly url: string
  /** Host and port, for logs and metrics. */
  readonly name: string
  readonly poolSize: number
  /** A replica that lags more is not used. */
  readonly maxLagMs: number
  /** The time in which each request must be answered. */
  readonly requestTimeoutMs?: number
  readonly traces?: boolean
  readonly primaryLog: PrimaryLog
  readonly log: Log
}

/** The replica was lost while a request was reading from it. */
export class ReplicaLostError extends Error {
  override readonly name = 'ReplicaLostError'
}

/** Time between two looks at the replica's position while requests wait for it. */
const WAIT_INTERVAL_MS = 3

const NOT_KNOWN_YET = 'its position is not known yet'

/** State of a replica, as it reports it. */
interface ReplicaState {
  readonly isStandby: boolean
  /** It belongs to another database cluster than the primary. */
  readonly isForeign: boolean
  /** The end of what it has replayed. */
  readonly lsn: number
  readonly readMs: number
}

/**
 * A streaming replica: its connections, and how far it has replayed the primary's log. One loop asks it for its position,
 * for all requests: four times a second, and every few milliseconds while a request waits for a position.
 */
export class Replica {
  readonly name: string
  #db: Database
  #monitorDb: Database
  #state: ReplicaState | null = null
  /** Whether it belongs to another cluster than the primary; null before that is known, each time that it is there. */
  #isForeign: boolean | null = null
  /** Why it is not used; null when it is. */
  #problem: string | null = NOT_KNOWN_YET
  /** The oldest known position of the primary that it has not replayed. */
  #unreplayed: LogPosition | null = null
  /** The end of what it had replayed when it was seen to follow another history: it cannot get further on its own. */
  #forkedAt: number | null = null
  #idle = new AbortController()
  readonly #waiters = new Set<{ readonly lsn: number; readonly settle: (isReached: boolean) => void }>()
  readonly #lossListeners = new Set<() => void>()

  constructor(private readonly options: ReplicaOptions) {
    this.name = options.name
    this.#db = this.#connectReaders()
    this.#monitorDb = this.#connectMonitor()
  }

  /** Connections for reads. */
  get db(): Database {
    return this.#db
  }

  /** Whether it is there, follows the primary, and lags less than the bound. */
  get isUsable(): boolean {
    return this.#problem === null
  }

  /** How long it has lacked something of the primary, in seconds; undefined before its position is known. */
  get lagSeconds(): number | undefined {
    return this.#state === null ? undefined : this.#lagMs(this.#state.lsn) / 1000
  }

  /** Runs reads here. Fails with `ReplicaLostError` as soon as the replica is lost: the reads may hang. */
  run<Result>(work: (db: Database) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const lost = () => reject(new ReplicaLostError(`the replica ${this.name} was lost`))
      this.#lossListeners.add(lost)
      work(this.#db)
        .then(resolve, reject)
        .finally(() => this.#lossListeners.delete(lost))
    })
  }

  /** Whether it is usable and was seen to have replayed this position. */
  hasReplayed(lsn: number): boolean {
    return this.isUsable && this.#state !== null && this.#state.lsn >= lsn
  }

  /** Waits until it has replayed this position; false after the time, or when it is not usable any more. */
  async waitFor(lsn: number, ms: number): Promise<boolean> {
    if (this.hasReplayed(lsn)) return true
    let settle: (isReached: boolean) => void = () => {}
    const reached = new Promise<boolean>((resolve) => {
      settle = resolve
    })
    const waiter = { lsn, settle }
    this.#waiters.add(waiter)
    this.check()
    try {
      return (await resultWithin(ms, reached)) === true
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  /** Looks at the replica now, because a read failed or waits. */
  check(): void {
    this.#idle.abort()
  }

  /** Follows its position until the signal aborts, then closes its connections. */
  async follow(signal: AbortSignal): Promise<void> {
    const stop = () => this.check()
    signal.addEventListener('abort', stop)
    while (!signal.aborted) {
      this.#idle = new AbortController()
      this.#judge(await this.#readState())
      await (this.#waiters.size > 0
        ? pause(WAIT_INTERVAL_MS, signal)
        : pause(POSITION_INTERVAL_MS, this.#idle.signal))
    }
    signal.removeEventListener('abort', stop)
    await Promise.all([this.#db, this.#monitorDb].map((db) => db.end({ timeout: 1 })))
  }

  /** Null when it does not answer. */
  async #readState(): Promise<ReplicaState | null> {
    try {
      const state = await resultWithin(ANSWER_TIMEOUT_MS, readReplicaState(this.#monitorDb))
      if (state === null) {
        this.#monitorDb = replace(this.#monitorDb, this.#connectMonitor())
        return null
      }
      this.#isForeign ??= await this.#looksForeign()
      return { ...state, isForeign: this.#isForeign ?? false }
    } catch {
      return null
    }
  }

  async #looksForeign(): Promise<boolean | null> {
    const { primaryLog } = this.options
    const [own, primary] = await Promise.all([readSystemId(this.#monitorDb), primaryLog.systemId()])
    if (own === null || primary === null) return null
    return own !== '' && primary !== '' && own !== primary
  }

  #judge(state: ReplicaState | null): void {
    const problem = state === null ? 'it does not answer' : this.#problemOf(state, this.#state)
    if (state === null && this.#state !== null) this.#lose()
    if (state === null) this.#isForeign = null
    this.#state = state
    const isNews = problem !== this.#problem
    this.#problem = problem
    for (const { lsn, settle } of this.#waiters) {
      if (problem !== null || this.hasReplayed(lsn)) settle(problem === null)
    }
    if (!isNews || problem === NOT_KNOWN_YET) return
    const { name, lagSeconds } = this
    if (problem === null) this.options.log.info({ replica: name }, 'replica is used for reads')
    else this.options.log.warn({ replica: name, lagSeconds }, `replica is not used for reads: ${problem}`)
  }

  #problemOf(state: ReplicaState, earlier: ReplicaState | null): string | null {
    const { primaryLog, maxLagMs } = this.options
    if (!state.isStandby) return 'it is not a standby'
    if (state.isForeign) return 'it is a replica of another database'
    const { first, last, oldest } = primaryLog
    if (first === null) return NOT_KNOWN_YET
    if (state.lsn < first.lsn) return 'it lacks what was there when this process started'
    // It was there before the primary's position was requested, and the primary cannot be behind its replica.
    if (earlier && last && earlier.readMs <= last.requestedMs && earlier.lsn > last.lsn)
      this.#forkedAt = earlier.lsn
    // Also when the primary has got further: what the replica has at these positions is not what the primary has there.
    if (this.#forkedAt === state.lsn) return 'it follows another history than the primary'
    this.#forkedAt = null
    if (this.#lagMs(state.lsn) > maxLagMs) return `it is more than ${maxLagMs} ms behind the primary`
    // Without older positions, as after a fail-over or an outage, nothing says for how long it has lacked the oldest one.
    return oldest && state.lsn < oldest.lsn ? NOT_KNOWN_YET : null
  }

  #lagMs(lsn: number): number {
    const { primaryLog } = this.options
    const isReplaced = this.#unreplayed !== null && this.#unreplayed.lsn > (primaryLog.last?.lsn ?? 0)
    if (this.#unreplayed === null || isReplaced || lsn >= this.#unreplayed.lsn) {
      this.#unreplayed = primaryLog.firstBeyond(lsn)
    }
    return this.#unreplayed === null ? 0 : performance.now() - this.#unreplayed.requestedMs
  }

  /** Abandons the reads under way and their connections: those to a machine that vanished would hang for minutes. */
  #lose(): void {
    for (const lost of this.#lossListeners) lost()
    this.#db = replace(this.#db, this.#connectReaders())
  }

  #connectReaders(): Database {
    const { url, poolSize, requestTimeoutMs, traces = false } = this.options
    const limits = requestTimeoutMs === undefined ? {} : { requestTimeoutMs }
    return connect(url, { poolSize, applicationName: 'plaza replica read', traces, ...limits })
  }

  #connectMonitor(): Database {
    return connect(this.options.url, { poolSize: 1, applicationName: 'plaza replica position' })
  }
}

/** Abandons connections for others. */
function replace(old: Database, fresh: Database): Database {
  old.end({ timeout: 0 }).catch(() => {})
  return fresh
}

async function readReplicaState(db: Database): Promise<Omit<ReplicaState, 'isForeign'>> {
  const [row] = await db<Pick<ReplicaState, 'isStandby' | 'lsn'>[]>`
    select pg_is_in_recovery() as "isStandby",
      (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0'::pg_lsn)::bigint as lsn`
  return { ...row!, readMs: performance.now() }
}
