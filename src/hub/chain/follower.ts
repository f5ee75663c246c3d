import type { Hex } from 'viem'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { isTemporary } from '../../platform/db/connection-errors.js'
import { takeWorkerLock } from '../../platform/db/worker-lock.js'
import { reportFirstFailure } from '../../platform/log/first-failure.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import type { ChainRpc } from './chain-rpc.js'
import {
  acquireLease,
  advanceCursor,
  type Lease,
  readHandledBlocks,
  recordHead,
  releaseLease,
  renewLease,
  rewindCursor,
} from './cursor.js'
import type { Endpoint, LogFilter } from './endpoint.js'
import { keepLease } from './keep-lease.js'
import {
  InconsistentReply,
  type LogRange,
  RangeRefused,
  type RangeRequest,
  type RangeResult,
  readRange,
} from './log-range.js'

/** A write that runs in the transaction that moves the cursor. */
export type CursorWrite = (db: Transaction) => Promise<void>

/** Handles the logs of a chain. `Extra` is what it reads besides them. */
export interface LogHandler<Extra = void> {
  /** Name of its cursor; must never change. */
  readonly name: string
  /** Returns the first block to read, for a new cursor or a new contract. */
  firstBlock(): Promise<number>
  /** The same where the operator names it: it begins anew for a lower one than before. */
  readonly configuredFirstBlock?: number
  /**
   * Returns the contracts whose logs it needs from the first block, in lower case. They share a cursor, since
   * logs of one may depend on another: adding one restarts all. Without it, the filter may change at any time.
   */
  contracts?(): Promise<readonly Hex[]>
  /** The last block to read, inclusive; unlimited by default. Read after `filter`. */
  readonly lastBlock?: number | undefined
  /** Whether nothing is waited for. The chain is then not asked until there is. */
  isIdle?(): Promise<boolean>
  /** True to receive final blocks only. */
  readonly confirmedOnly: boolean
  /** True to receive the headers of blocks with logs, for their times. */
  readonly withTimes: boolean
  /** Returns the filter for blocks from `nextBlock` on; null if it needs no logs. */
  filter(nextBlock: number): Promise<LogFilter | null>
  /** Reads further data from the endpoint that returned the logs. */
  read(endpoint: Endpoint, range: LogRange): Promise<Extra>
  /**
   * Handles a range and calls `commit` once with what to write together with the cursor. Work before `commit`
   * repeats if the process dies in between.
   */
  handle(range: LogRange, extra: Extra, commit: (write: CursorWrite) => Promise<void>): Promise<void>
  /** Reverts all effects of the blocks from this one on: they left the chain. */
  undo(db: Transaction, fromBlock: number): Promise<void>
  /** Recovers from a reorganization of final blocks, of unknown depth; returns the block to continue at. */
  recoverFromDeepReorg(db: Transaction, nextBlock: number): Promise<number>
}

/** Dependencies of a follower. */
export interface FollowerOptions {
  readonly db: Database
  readonly rpc: ChainRpc
  /** The process; its session lock, held by the one connection of `locks`, shows that it lives. */
  readonly holder: { readonly id: string; readonly locks: Database }
  /** Called after each step, for metrics. */
  readonly onProgress?: (progress: StepResult) => void
}

/** The result of a step. */
export interface StepResult {
  readonly follower: string
  readonly outcome: StepOutcome
  /** Number of handled logs. */
  readonly logs: number
}

/** The outcome of a step. `idle`: nothing is waited for; `busy`: another process holds the follower. */
export type StepOutcome = 'moved' | 'caughtUp' | 'reorged' | 'deepReorg' | 'idle' | 'busy'

/** Blocks of the first range, of the largest, and the factors after a refusal and after a success. */
const SPAN = { first: 2_000, largest: 100_000, refused: 0.5, grows: 2, growsAfterRefusal: 1.25 }

/** Follows the logs of a chain for one handler, in steps. */
export class ChainFollower<Extra = void> {
  readonly #lease: Lease
  #span = SPAN.first
  #growth = SPAN.grows

  constructor(
    private readonly handler: LogHandler<Extra>,
    private readonly options: FollowerOptions,
  ) {
    this.#lease = { follower: handler.name, holder: options.holder.id }
  }

  get name(): string {
    return this.handler.name
  }

  /** Most blocks of the next range. */
  get span(): number {
    return this.#span
  }

  /** Reads and handles the next range, or reverts blocks that left the chain. */
  async step(): Promise<StepOutcome> {
    const { db, rpc, holder, onProgress } = this.options
    const { chainId } = rpc.chain
    const { configuredFirstBlock } = this.handler
    const contracts = (await this.handler.contracts?.()) ?? []
    const firstBlock = () => this.handler.firstBlock()
    await takeWorkerLock(holder.locks, holder.id)
    const position = await acquireLease(db, this.#lease, {
      chainId,
      contracts,
      firstBlock,
      configuredFirstBlock,
    })
    if (position === null) return 'busy'
    if (await this.handler.isIdle?.()) {
      onProgress?.({ follower: this.name, outcome: 'idle', logs: 0 })
      return 'idle'
    }
    const { nextBlock, before } = position
    const filter = await this.handler.filter(nextBlock)
    const { reading, extra } = await this.#read({ from: nextBlock, before, filter })
    let outcome: StepOutcome = 'caughtUp'
    if (reading.state === 'range') {
      await this.#handle(reading.range, extra!.value)
      outcome = 'moved'
    } else if (reading.state === 'reorged') {
      outcome = await this.#rewind(nextBlock, reading.head)
    } else {
      await recordHead(db, this.name, reading.head)
      await rpc.recordHead(reading.head)
    }
    const logs = reading.state === 'range' ? reading.range.logs.length : 0
    onProgress?.({ follower: this.name, outcome, logs })
    return outcome
  }

  /** Keeps the lease during a long step, and between two steps. */
  async renew(): Promise<void> {
    await renewLease(this.options.db, this.#lease)
  }

  /** Releases the lease, so that another process can continue at once. */
  async release(): Promise<void> {
    await releaseLease(this.options.db, this.#lease)
  }

  async #read(request: Pick<RangeRequest, 'from' | 'before' | 'filter'>): Promise<ReadResult<Extra>> {
    const { rpc } = this.options
    const { confirmedOnly, withTimes, lastBlock } = this.handler
    const { confirmations } = rpc.chain
    return await rpc.withEndpoint(async (endpoint) => {
      const rangeRequest = {
        ...request,
        until: lastBlock,
        span: this.#span,
        confirmations,
        confirmedOnly,
        withTimes,
      }
      const reading = await readRange(endpoint, rangeRequest).catch((error: unknown) => {
        if (error instanceof RangeRefused) this.#shrink()
        throw error
      })
      if (reading.state !== 'range') return { reading, extra: null }
      const value = await this.handler.read(endpoint, reading.range)
      return { reading, extra: { value } }
    })
  }

  async #handle(range: LogRange, extra: Extra): Promise<void> {
    const { db, rpc } = this.options
    const blocks = range.isFinal ? [range.headers.get(range.to)!] : [...range.headers.values()]
    const move = {
      from: range.from,
      to: range.to + 1,
      blocks,
      pruneBelow: range.head - rpc.chain.confirmations,
      head: range.head,
    }
    await this.handler.handle(range, extra, async (write) => {
      await db.begin(async (transaction) => {
        await advanceCursor(transaction, this.#lease, move)
        await write(transaction)
      })
    })
    if (range.to - range.from + 1 === this.#span) this.#grow()
  }

  /** Goes back to the newest block that is still on the chain and reverts later ones. */
  async #rewind(nextBlock: number, head: number): Promise<StepOutcome> {
    const { db, rpc } = this.options
    const handled = await readHandledBlocks(db, this.name)
    const headers = await rpc.withEndpoint((endpoint) =>
      endpoint.headers(handled.map(({ number }) => number)),
    )
    const commonBlock = handled.find(({ hash }, index) => headers[index]?.hash === hash)
    // A node that is behind knows none of them. Everything is read anew only where each has another block in its place.
    if (commonBlock === undefined && headers.includes(null))
      throw new InconsistentReply('the RPC does not have all blocks that were handled')
    if (commonBlock === undefined) await rpc.requireReplaced(handled)
    await db.begin(async (transaction) => {
      if (commonBlock !== undefined) {
        const to = commonBlock.number + 1
        await rewindCursor(transaction, this.#lease, { from: nextBlock, to, head })
        await this.handler.undo(transaction, to)
        return
      }
      const to = await this.handler.recoverFromDeepReorg(transaction, nextBlock)
      await rewindCursor(transaction, this.#lease, { from: nextBlock, to, head })
      // The remembered blocks left the chain as well.
      await transaction`delete from chain.blocks where follower = ${this.name}`
    })
    return commonBlock === undefined ? 'deepReorg' : 'reorged'
  }

  #shrink(): void {
    this.#span = Math.max(1, Math.floor(this.#span * SPAN.refused))
    this.#growth = SPAN.growsAfterRefusal
  }

  #grow(): void {
    this.#span = Math.min(SPAN.largest, Math.ceil(this.#span * this.#growth))
  }
}

interface ReadResult<Extra> {
  readonly reading: RangeResult
  /** Null unless a range was read. */
  readonly extra: { readonly value: Extra } | null
}

/**
 * Wait after a failure, growing by half each time. A refused range of several blocks is repeated soon, in halves.
 * The longest wait while the database, or the RPC, is away is `unavailable`.
 */
const RETRY_MS = { first: 200, last: 30_000, refused: 50, unavailable: 3_000 }

/** Longest wait of an idle follower: its call to wake up may be lost with a connection. */
const IDLE_MS = 60_000

/** Together with the lease, the longest time without a follower after its process hangs: 10 s. */
const TAKEOVER_MS = 2_000

/** How a follower runs. */
export interface FollowingOptions {
  /** Wait after a step without news, or while another process holds the follower. */
  readonly pollMs: number
  readonly log: Log
  /** Calls `wake` when an idle follower has work. */
  readonly onWork?: ((wake: () => void) => Promise<unknown>) | undefined
}

/**
 * Runs a follower until it is stopped. A failed step is repeated forever: blocks cannot be skipped.
 *
 * @returns a function that stops it after the current step.
 */
export function startFollowing<Extra>(
  follower: ChainFollower<Extra>,
  { pollMs, log, onWork }: FollowingOptions,
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  let woken = new AbortController()
  const logFields = { follower: follower.name }
  let isListening = false
  const listen = reportFirstFailure(
    async () => {
      await onWork?.(() => woken.abort())
      isListening = true
    },
    (error) => log.warn({ err: error, ...logFields }, 'an idle chain follower is woken by time only'),
  )

  async function run(): Promise<void> {
    let refusals = 0
    let failures = 0
    while (!signal.aborted) {
      if (!isListening) await listen()
      // Before the step, so that a call during it is not lost.
      woken = new AbortController()
      try {
        const outcome = await follower.step()
        if (failures > 0) log.info({ ...logFields, failures }, 'chain follower recovered')
        refusals = 0
        failures = 0
        if (outcome === 'reorged') log.info(logFields, 'chain reorganized')
        if (outcome === 'deepReorg') log.error(logFields, 'chain reorganized beyond confirmations')
        if (outcome === 'caughtUp') await pause(pollMs, signal)
        if (outcome === 'busy') await pause(Math.min(pollMs, TAKEOVER_MS), signal)
        if (outcome === 'idle') await pause(IDLE_MS, AbortSignal.any([signal, woken.signal]))
      } catch (error) {
        if (error instanceof RangeRefused && error.canSplit) {
          refusals += 1
          await pause(RETRY_MS.refused * refusals, signal)
          continue
        }
        failures += 1
        const backoffMs = Math.round(RETRY_MS.first * 1.5 ** (failures - 1))
        const longestMs = isTemporary(error) ? RETRY_MS.unavailable : RETRY_MS.last
        const retryInMs = Math.min(backoffMs, longestMs)
        // An unavailable RPC is logged once, then every 20 failures.
        const shouldLog = failures === 1 || failures % 20 === 0
        if (shouldLog) log.warn({ err: error, ...logFields, failures, retryInMs }, 'chain follower failed')
        await pause(retryInMs, signal)
      }
    }
    // If the database is unavailable, the lease expires by itself.
    await follower.release().catch(() => {})
  }

  const running = run()
  const stopRenewing = keepLease(() => follower.renew())
  return async () => {
    stopping.abort()
    await running
    await stopRenewing()
  }
}
