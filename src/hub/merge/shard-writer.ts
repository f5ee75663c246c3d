import type { OnChainEvent, UserNameProof } from '@farcaster/core'
import { PlazaError, type Refusal } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { MergeBatch, MergeOutcomes, SourceOffset } from './batch.js'

/** One thing to be merged. */
export type MergeItem = {
  /** Where it comes from the log of another hub: see `SubmitOptions`. */
  readonly sourceOffset?: SourceOffset | undefined
} & (
  | {
      readonly kind: 'message'
      readonly message: SignedMessage
      /** It stands in another hub: see `SubmitOptions`. */
      readonly historical?: boolean
    }
  | { readonly kind: 'chainEvent'; readonly event: OnChainEvent }
  | { readonly kind: 'nameTransfer'; readonly proof: UserNameProof }
)

/** A message that is to stand no more. */
export interface UpstreamRemoval {
  readonly kind: 'upstreamRemoval'
  readonly message: SignedMessage
}

interface QueuedItem {
  readonly item: MergeItem | UpstreamRemoval
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
  readonly #queue: QueuedItem[] = []
  #running: Promise<void> | null = null

  constructor(options: ShardWriterOptions) {
    this.#options = options
  }

  /** How many items wait for a transaction. */
  get queued(): number {
    return this.#queue.length
  }

  /**
   * Queues an item. Resolves when it is durably merged, or refused by the rules.
   * @throws PlazaError `unavailable` when the queue is full or the database is away.
   */
  submit(item: MergeItem | UpstreamRemoval): Promise<Refusal | null> {
    if (this.#queue.length >= (this.#options.queueSize ?? defaultQueueSize)) {
      return Promise.reject(new PlazaError('unavailable', 'too many messages are waiting to be merged'))
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject })
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
    while (this.#queue.length > 0) {
      await this.#mergeAll(this.#queue.splice(0, this.#options.batchSize ?? defaultBatchSize))
    }
    this.#running = null
  }

  /**
   * Merges a batch and tells everybody. A batch that fails for a reason of its own is halved until the item
   * that causes it stands alone: one bad item never takes the others down.
   */
  async #mergeAll(batch: readonly QueuedItem[]): Promise<void> {
    try {
      await this.#mergeOnce(batch, 1)
    } catch (error) {
      if (this.#options.isUnavailable(error)) {
        const unavailable = new PlazaError('unavailable', 'the database is unavailable', { cause: error })
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

  async #mergeOnce(batch: readonly QueuedItem[], attempt: number): Promise<void> {
    try {
      const { merge } = this.#options
      const chainEvents = batch.flatMap((queued) =>
        queued.item.kind === 'chainEvent' ? [{ ...queued, value: queued.item.event }] : [],
      )
      const transfers = batch.flatMap((queued) =>
        queued.item.kind === 'nameTransfer' ? [{ ...queued, value: queued.item.proof }] : [],
      )
      const messages = batch.flatMap((queued) =>
        queued.item.kind === 'message'
          ? [{ ...queued, value: queued.item.message, historical: queued.item.historical }]
          : [],
      )
      const upstreamRemovals = batch.flatMap((queued) =>
        queued.item.kind === 'upstreamRemoval' ? [{ ...queued, value: queued.item.message }] : [],
      )
      const outcomes = await merge({
        chainEvents: chainEvents.map(({ value }) => value),
        nameTransfers: transfers.map(({ value }) => value),
        messages: messages.map(({ value }) => value),
        upstreamRemovals: upstreamRemovals.map(({ value }) => value),
        historical: new Set(messages.flatMap(({ value, historical }) => (historical ? [value] : []))),
        sourceOffsets: new Map(
          [...chainEvents, ...transfers, ...messages].flatMap(({ value, item }) =>
            'sourceOffset' in item && item.sourceOffset ? [[value, item.sourceOffset] as const] : [],
          ),
        ),
      })
      settle(chainEvents, outcomes.chainEvents)
      settle(transfers, outcomes.nameTransfers)
      settle(messages, outcomes.messages)
      settle(upstreamRemovals, outcomes.upstreamRemovals ?? [])
    } catch (error) {
      if (attempt >= maxAttempts || !this.#options.isRetryable(error)) throw error
      await this.#mergeOnce(batch, attempt + 1)
    }
  }
}

function settle(queue: readonly Pick<QueuedItem, 'resolve'>[], outcomes: readonly (Refusal | null)[]): void {
  for (const [index, { resolve }] of queue.entries()) resolve(outcomes[index] ?? null)
}
