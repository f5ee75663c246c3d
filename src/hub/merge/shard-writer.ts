import type { OnChainEvent, UserNameProof } from '@farcaster/core'
import { PlazaError, type Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { LogPlace, MergeBatch, MergeOutcomes } from './batch.js'

/** One thing to be merged. */
export type MergeItem = {
  /** Where it comes from the log of another hub: see `SubmitOptions`. */
  readonly place?: LogPlace | undefined
} & (
  | {
      readonly kind: 'message'
      readonly message: SignedMessage
      /** It stands in another hub: see `SubmitOptions`. */
      readonly admitted?: boolean
    }
  | { readonly kind: 'chainEvent'; readonly event: OnChainEvent }
  | { readonly kind: 'nameTransfer'; readonly proof: UserNameProof }
)

/** A message that is to stand no more. */
export interface Withdrawal {
  readonly kind: 'withdrawal'
  readonly message: SignedMessage
}

interface Waiting {
  readonly item: MergeItem | Withdrawal
  readonly resolve: (outcome: Refusal | null) => void
  readonly reject: (error: unknown) => void
}

export interface ShardWriterOptions {
  /** Merges a batch durably. */
  readonly merge: (batch: MergeBatch) => Promise<MergeOutcomes>
  /** True for errors after which the same batch may succeed at once, such as a deadlock. */
  readonly isRetryable: (error: unknown) => boolean
  /** True for errors that are nobody's fault in the batch: the database is away. */
  readonly isUnavailable: (error: unknown) => boolean
  /** Most items in one transaction: large enough that a commit's fsync is shared by many, small enough that
   * nobody waits long for the others of the batch. */
  readonly batchSize?: number
  /** Most items that wait; beyond it `submit` refuses. */
  readonly queueSize?: number
}

const defaultBatchSize = 1000
const defaultQueueSize = 20_000
const maxAttempts = 5

/**
 * The merge queue of one shard in this process. While one batch is being committed the next one gathers, so
 * that under load every transaction is large and when idle nobody waits.
 */
export class ShardWriter {
  readonly #options: ShardWriterOptions
  readonly #waiting: Waiting[] = []
  #running: Promise<void> | null = null

  constructor(options: ShardWriterOptions) {
    this.#options = options
  }

  /** How many items wait for a transaction. */
  get queued(): number {
    return this.#waiting.length
  }

  /**
   * Queues an item. Resolves when it is durably merged, or refused by the rules.
   * @throws PlazaError `unavailable` when the queue is full or the database is away.
   */
  submit(item: MergeItem | Withdrawal): Promise<Refusal | null> {
    if (this.#waiting.length >= (this.#options.queueSize ?? defaultQueueSize)) {
      return Promise.reject(new PlazaError('unavailable', 'too many messages are waiting to be merged'))
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#running ??= this.#run()
    })
  }

  /** Resolves when nothing is queued or under way. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    // Let the caller queue the rest of what it has: one submit of many messages is one batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      await this.#mergeAll(this.#waiting.splice(0, this.#options.batchSize ?? defaultBatchSize))
    }
    this.#running = null
  }

  /**
   * Merges a batch and tells everybody. A batch that fails for a reason of its own is halved until the item
   * that causes it stands alone: one bad item never takes the others down.
   */
  async #mergeAll(batch: readonly Waiting[]): Promise<void> {
    try {
      await this.#mergeOnce(batch, 1)
    } catch (error) {
      if (this.#options.isUnavailable(error)) {
        const unavailable = new PlazaError('unavailable', 'the database is away', { cause: error })
        for (const { reject } of batch) reject(unavailable)
      } else if (batch.length === 1) {
        batch[0]!.reject(error)
      } else {
        const half = Math.ceil(batch.length / 2)
        await this.#mergeAll(batch.slice(0, half))
        await this.#mergeAll(batch.slice(half))
      }
    }
  }

  async #mergeOnce(batch: readonly Waiting[], attempt: number): Promise<void> {
    try {
      const { merge } = this.#options
      const chainEvents = batch.flatMap((each) =>
        each.item.kind === 'chainEvent' ? [{ ...each, value: each.item.event }] : [],
      )
      const transfers = batch.flatMap((each) =>
        each.item.kind === 'nameTransfer' ? [{ ...each, value: each.item.proof }] : [],
      )
      const messages = batch.flatMap((each) =>
        each.item.kind === 'message'
          ? [{ ...each, value: each.item.message, admitted: each.item.admitted }]
          : [],
      )
      const withdrawals = batch.flatMap((each) =>
        each.item.kind === 'withdrawal' ? [{ ...each, value: each.item.message }] : [],
      )
      const outcomes = await merge({
        chainEvents: chainEvents.map(({ value }) => value),
        nameTransfers: transfers.map(({ value }) => value),
        messages: messages.map(({ value }) => value),
        withdrawals: withdrawals.map(({ value }) => value),
        admitted: new Set(messages.flatMap(({ value, admitted }) => (admitted ? [value] : []))),
        places: new Map(
          [...chainEvents, ...transfers, ...messages].flatMap(({ value, item }) =>
            'place' in item && item.place ? [[value, item.place] as const] : [],
          ),
        ),
      })
      tell(chainEvents, outcomes.chainEvents)
      tell(transfers, outcomes.nameTransfers)
      tell(messages, outcomes.messages)
      tell(withdrawals, outcomes.withdrawals ?? [])
    } catch (error) {
      if (attempt >= maxAttempts || !this.#options.isRetryable(error)) throw error
      await this.#mergeOnce(batch, attempt + 1)
    }
  }
}

function tell(waiting: readonly Pick<Waiting, 'resolve'>[], outcomes: readonly (Refusal | null)[]): void {
  for (const [index, { resolve }] of waiting.entries()) resolve(outcomes[index] ?? null)
}
