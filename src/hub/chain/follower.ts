import { randomUUID } from 'node:crypto'
import type { Hex } from 'viem'
import type { Database, Transaction } from '../../platform/db/connection.js'
import type { ChainRpc } from './chain-rpc.js'
import {
  acquireLease,
  advanceCursor,
  type Lease,
  readHandledBlocks,
  recordHead,
  releaseLease,
  rewindCursor,
} from './cursor.js'
import type { Endpoint, LogFilter } from './endpoint.js'
import { type LogRange, RangeRefused, type RangeResult, readRange } from './log-range.js'

/** Runs in the transaction that moves the cursor. */
export type Write = (db: Transaction) => Promise<void>

/** What becomes of logs. `Extra` is what it reads besides them. */
export interface LogHandler<Extra = void> {
  /** Its cursor's: the same for ever. */
  readonly name: string
  /** Where it begins; asked when it has no cursor, or has not read one of its contracts. */
  firstBlock(): Promise<number>
  /**
   * Contracts whose logs it needs from the first block on, in lower case. They share a cursor, as the logs of one may rest
   * on those of another: when one is added, all are read anew. Without it, what `filter` wants may change at any time.
   */
  readonly contracts?: readonly Hex[]
  /** Where it ends, inclusive; without it, never. */
  readonly lastBlock?: number
  /** Whether it only gets blocks that are final. */
  readonly confirmedOnly: boolean
  /** Whether it asks for the times of blocks with logs. */
  readonly withTimes: boolean
  /** Which logs it wants of the blocks from `nextBlock` on; null when it wants none. */
  filter(nextBlock: number): Promise<LogFilter | null>
  /** Reads what else it needs, of the endpoint that gave the logs. */
  read(endpoint: Endpoint, range: LogRange): Promise<Extra>
  /**
   * Handles a range: calls `commit` once, and with it what is to be written with the cursor. What it does before is done
   * again when the process dies in between.
   */
  handle(range: LogRange, extra: Extra, commit: (write: Write) => Promise<void>): Promise<void>
  /** Takes back all that the blocks from this one on have done: they are no longer of the chain. */
  undo(db: Transaction, fromBlock: number): Promise<void>
  /**
   * The chain has taken back blocks that were final, and nobody knows which others.
   *
   * @param nextBlock where it stood.
   * @returns where it goes on.
   */
  recoverFromDeepReorg(db: Transaction, nextBlock: number): Promise<number>
}

/** What a follower stands on. */
export interface FollowerOptions {
  readonly db: Database
  readonly rpc: ChainRpc
  /** Told of what a follower does, for metrics. */
  readonly onProgress?: (progress: Progress) => void
}

/** What a step has come to. */
export interface Progress {
  readonly follower: string
  readonly outcome: StepOutcome
  /** How many logs were handled. */
  readonly logs: number
}

/** There is more; there is nothing new; blocks were taken back; another process has it. */
export type StepOutcome = 'moved' | 'caughtUp' | 'reorged' | 'deepReorg' | 'busy'

/** The first range, the largest, and what a range becomes after a refusal and after a success. */
const SPAN = { first: 2_000, largest: 100_000, refused: 0.5, grows: 2, growsAfterRefusal: 1.25 }

/** Follows the logs of a chain for one handler, step by step. */
export class Follower<Extra = void> {
  readonly #handler: LogHandler<Extra>
  readonly #options: FollowerOptions
  readonly #lease: Lease
  #span = SPAN.first
  #growth = SPAN.grows

  constructor(handler: LogHandler<Extra>, options: FollowerOptions) {
    this.#handler = handler
    this.#options = options
    this.#lease = { follower: handler.name, holder: randomUUID() }
  }

  get name(): string {
    return this.#handler.name
  }

  /** How many blocks it asks for next, at most. */
  get span(): number {
    return this.#span
  }

  /** Does what can be done at once: reads a range and has it handled, or takes back what is no longer of the chain. */
  async step(): Promise<StepOutcome> {
    const { db, rpc, onProgress } = this.#options
    const { chainId } = rpc.network
    const { contracts = [] } = this.#handler
    const firstBlock = () => this.#handler.firstBlock()
    const position = await acquireLease(db, this.#lease, { chainId, contracts, firstBlock })
    if (position === null) return 'busy'
    const { nextBlock, before } = position
    const filter = await this.#handler.filter(nextBlock)
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

  /** Lets another process have it at once. */
  async release(): Promise<void> {
    await releaseLease(this.#options.db, this.#lease)
  }

  async #read({ from, before, filter }: ReadRequest): Promise<ReadResult<Extra>> {
    const { rpc } = this.#options
    const { confirmedOnly, withTimes, lastBlock } = this.#handler
    const { confirmations } = rpc.network
    const end = lastBlock === undefined ? {} : { until: lastBlock }
    return await rpc.withEndpoint(async (endpoint) => {
      const rangeRequest = {
        from,
        before,
        filter,
        span: this.#span,
        confirmations,
        confirmedOnly,
        withTimes,
        ...end,
      }
      const reading = await readRange(endpoint, rangeRequest).catch((error: unknown) => {
        if (error instanceof RangeRefused) this.#shrink()
        throw error
      })
      if (reading.state !== 'range') return { reading, extra: null }
      const value = await this.#handler.read(endpoint, reading.range)
      return { reading, extra: { value } }
    })
  }

  async #handle(range: LogRange, extra: Extra): Promise<void> {
    const { db, rpc } = this.#options
    const blocks = range.isFinal ? [range.headers.get(range.to)!] : [...range.headers.values()]
    const move = {
      from: range.from,
      to: range.to + 1,
      blocks,
      pruneBelow: range.head - rpc.network.confirmations,
      head: range.head,
    }
    await this.#handler.handle(range, extra, async (write) => {
      await db.begin(async (transaction) => {
        await advanceCursor(transaction, this.#lease, move)
        await write(transaction)
      })
    })
    if (range.to - range.from + 1 === this.#span) this.#grow()
  }

  /** Goes back to the newest block that both have: what was handled after it is taken back. */
  async #rewind(nextBlock: number, head: number): Promise<StepOutcome> {
    const { db, rpc } = this.#options
    const handled = await readHandledBlocks(db, this.name)
    const headers = await rpc.withEndpoint((endpoint) =>
      endpoint.headers(handled.map(({ number }) => number)),
    )
    const commonBlock = handled.find(({ hash }, index) => headers[index]?.hash === hash)
    await db.begin(async (transaction) => {
      if (commonBlock !== undefined) {
        const to = commonBlock.number + 1
        await rewindCursor(transaction, this.#lease, { from: nextBlock, to, head })
        await this.#handler.undo(transaction, to)
        return
      }
      const to = await this.#handler.recoverFromDeepReorg(transaction, nextBlock)
      await rewindCursor(transaction, this.#lease, { from: nextBlock, to, head })
      // What is remembered below is of the other chain, too.
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

interface ReadRequest {
  readonly from: number
  readonly before: Parameters<typeof readRange>[1]['before']
  readonly filter: LogFilter | null
}

interface ReadResult<Extra> {
  readonly reading: RangeResult
  /** Null unless there is a range. */
  readonly extra: { readonly value: Extra } | null
}
