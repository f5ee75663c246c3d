import { PlazaError, type Refusal } from '../../platform/errors.js'
import { finishInSpan, recordedSpan, type TraceSpan } from '../../platform/tracing/active-span.js'
import { MessageType, type OnChainEvent, type UserNameProof } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { MergeBatch, MergeOutcomes, SourceOffset } from './batch.js'

/** A message, an on-chain event or a name transfer to merge. */
export type MergeItem = {
  /**
   * The item's offset in the log of another hub. An item whose offset was applied before is a duplicate, even if
   * it was removed since. Applied offsets are written in the transaction of the merge.
   */
  readonly sourceOffset?: SourceOffset | undefined
  /** It copies what another hub had stored, and did not come by its log or a submission. */
  readonly isCopy?: boolean
} & (
  | {
      readonly kind: 'message'
      readonly message: SignedMessage
      /** Another hub has accepted it: see `OriginRules.isHistorical`. */
      readonly isHistorical?: boolean
      /** It comes from an upstream or an archive: see `OriginRules.isSynced`. */
      readonly isSynced?: boolean
      /** It is sent to the upstream when it is merged: see `OriginRules.isOutgoing`. */
      readonly isOutgoing?: boolean
      /** Set if no chain has confirmed its claim: refused with this, if for no other reason. */
      readonly unconfirmed?: Refusal | undefined
      /** The proof by which a USERNAME entry is confirmed: it merges only while its user holds the name by this one. */
      readonly confirmedProof?: UserNameProof | undefined
    }
  | { readonly kind: 'chainEvent'; readonly event: OnChainEvent }
  | {
      readonly kind: 'nameTransfer'
      readonly proof: UserNameProof
      /**
       * The name no longer resolves to the owner in this proof, which is stored: the name is taken from its holder, and the
       * proof does not merge again (docs/protocol.md §4.9).
       */
      readonly isLost?: boolean
    }
)

/** A message that the upstream no longer stores. */
export interface UpstreamRemoval {
  readonly kind: 'upstreamRemoval'
  readonly message: SignedMessage
}

/** A name that no longer resolves to the owner in its proof. */
export interface LostName {
  readonly kind: 'lostName'
  /** The USERNAME_PROOF message. */
  readonly message: SignedMessage
}

/** An entry of a shard's queue. */
export type QueueItem = MergeItem | UpstreamRemoval | LostName

/** Whether an item copies what another hub had stored (`MergeItem.isCopy`). */
function isCopy(item: QueueItem | undefined): boolean {
  return item !== undefined && 'isCopy' in item && item.isCopy === true
}

/** Whether it lends storage, or ends a loan. */
function isLoan(item: QueueItem | undefined): boolean {
  return item?.kind === 'message' && item.message.data.type === MessageType.LEND_STORAGE
}

interface QueuedItem {
  readonly item: QueueItem
  /** The span that submitted it, where that is traced. */
  readonly span: TraceSpan | null
  readonly resolve: (outcome: Refusal | null) => void
  readonly reject: (error: unknown) => void
}

export interface ShardWriterOptions {
  /** Merges a batch durably. */
  readonly merge: (batch: MergeBatch) => Promise<MergeOutcomes>
  /** Returns true for errors after which a repetition may succeed, such as a deadlock. */
  readonly isRetryable: (error: unknown) => boolean
  /** Returns true for errors of a batch that is too large for a limit of the database, or of a database that is slow. */
  readonly isBeyondLimits: (error: unknown) => boolean
  /** Returns the error to answer with if the database is unavailable: no item of the batch is at fault. */
  readonly unavailableError: (error: unknown) => PlazaError | null
  /** Most items in one transaction. Large batches share the fsync of one commit; small ones answer sooner. */
  readonly batchSize?: number
  /** Most waiting items; `submit` refuses beyond it. */
  readonly queueSize?: number
  /** Whether this process has no time to spare: items that come soon after a batch then wait for others. */
  readonly isBusy?: () => boolean
}

const DEFAULT_BATCH_SIZE = 1000
const DEFAULT_QUEUE_SIZE = 20_000
const MAX_ATTEMPTS = 5

/**
 * Shortest time between two batches of one item while the process is busy; between batches of n items it is the nth part. A
 * batch of a few items costs about as much as one of them alone, so it is worth waiting for others, the more the fewer
 * there are. Writers who each wait for their reply come together in a few milliseconds, and no one else would come.
 */
const GATHER_MS = 50

/**
 * The merge queue of one shard in this process. While a batch commits, the next one gathers: transactions are
 * large under load, and an idle process adds no delay.
 */
export class ShardWriter {
  readonly #queue: QueuedItem[] = []
  #running: Promise<void> | null = null
  /** Ends the wait for other items when one comes. */
  #onItem: (() => void) | null = null
  /** Start of the last batch. */
  #startMs = Number.NEGATIVE_INFINITY

  constructor(private readonly options: ShardWriterOptions) {}

  /** Number of items that wait for a transaction. */
  get queued(): number {
    return this.#queue.length
  }

  /** Queues an item; resolves when it is merged or refused. @throws PlazaError `unavailable`. */
  submit(item: QueueItem): Promise<Refusal | null> {
    if (this.#queue.length >= (this.options.queueSize ?? DEFAULT_QUEUE_SIZE)) {
      return Promise.reject(new PlazaError('unavailable', 'too many messages are waiting to be merged'))
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, span: recordedSpan(), resolve, reject })
      this.#onItem?.()
      this.#running ??= this.#run()
    })
  }

  /** Resolves when nothing is queued or being merged. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running
  }

  async #run(): Promise<void> {
    // Wait until the caller has queued the rest: one submit of many messages becomes one batch.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      await this.#gather()
      this.#startMs = performance.now()
      await this.#mergeAll(this.#takeBatch())
    }
    this.#running = null
  }

  /**
   * Takes the first items. The log tells copies from others by their blocks, so no batch has both. A loan is alone: a batch
   * has the limits from before it, so a message behind a loan would be refused or pruned for lack of what was lent.
   */
  #takeBatch(): QueuedItem[] {
    const first = this.#queue[0]?.item
    const end = isLoan(first)
      ? 1
      : this.#queue.findIndex(({ item }) => isCopy(item) !== isCopy(first) || isLoan(item))
    const size = this.options.batchSize ?? DEFAULT_BATCH_SIZE
    return this.#queue.splice(0, end < 0 ? size : Math.min(end, size))
  }

  async #gather(): Promise<void> {
    for (;;) {
      const waitMs = this.#startMs + GATHER_MS / this.#queue.length - performance.now()
      if (waitMs <= 0 || !this.options.isBusy?.()) return
      await this.#nextItem(waitMs)
    }
  }

  /** Resolves when an item comes, or after `waitMs`. */
  #nextItem(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#onItem = null
        resolve()
      }
      const timer = setTimeout(end, waitMs)
      this.#onItem = end
    })
  }

  /**
   * Merges a batch. If the batch fails, it is halved until the failing item is alone. An unavailable database fails the rest of
   * it: what comes later may depend on what comes before, and would be refused without it.
   *
   * @returns the error if the database is unavailable.
   */
  async #mergeAll(batch: readonly QueuedItem[]): Promise<PlazaError | null> {
    try {
      await this.#mergeOnce(batch, 1)
      return null
    } catch (error) {
      const outage = this.options.unavailableError(error)
      if (batch.length > 1 && (outage === null || this.options.isBeyondLimits(error))) {
        const half = Math.ceil(batch.length / 2)
        const rest = batch.slice(half)
        const outageOfFirst = await this.#mergeAll(batch.slice(0, half))
        return outageOfFirst === null ? await this.#mergeAll(rest) : rejectAll(rest, outageOfFirst)
      }
      if (outage) return rejectAll(batch, outage)
      batch[0]!.reject(error)
      return null
    }
  }

  async #mergeOnce(batch: readonly QueuedItem[], attempt: number): Promise<void> {
    try {
      const outcomes = await finishInSpan(startMergeSpan(batch), () =>
        this.options.merge(toBatch(batch.map(({ item }) => item))),
      )
      const next = { chainEvent: 0, nameTransfer: 0, message: 0, upstreamRemoval: 0, lostName: 0 }
      for (const { item, resolve } of batch) {
        resolve(outcomes[listOf[item.kind]]?.[next[item.kind]++] ?? null)
      }
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !this.options.isRetryable(error)) throw error
      await this.#mergeOnce(batch, attempt + 1)
    }
  }
}

/** Answers items with an outage, and returns it. */
function rejectAll(items: readonly QueuedItem[], outage: PlazaError): PlazaError {
  for (const { reject } of items) reject(outage)
  return outage
}

/**
 * Starts the span of a batch: a child of the first traced request in it, with links to the others. Null for none; the batch
 * then runs in no span, also when the request that woke the writer has one.
 */
function startMergeSpan(batch: readonly QueuedItem[]): TraceSpan | null {
  const [first, ...others] = new Set(batch.flatMap(({ span }) => span ?? []))
  if (first === undefined) return null
  return first.child('merge', {
    attributes: { 'plaza.items': batch.length },
    links: others.map(({ headers }) => headers),
  })
}

/** Where a batch has the items of a kind, and its outcomes theirs. */
const listOf = {
  chainEvent: 'chainEvents',
  nameTransfer: 'nameTransfers',
  message: 'messages',
  upstreamRemoval: 'upstreamRemovals',
  lostName: 'lostNames',
} as const

function toBatch(items: readonly QueueItem[]): MergeBatch {
  const batch = {
    chainEvents: [] as OnChainEvent[],
    nameTransfers: [] as UserNameProof[],
    messages: [] as SignedMessage[],
    upstreamRemovals: [] as SignedMessage[],
    lostNames: [] as SignedMessage[],
    lostProofs: new Set<UserNameProof>(),
    unconfirmed: new Map<SignedMessage, Refusal>(),
    confirmedProofs: new Map<SignedMessage, UserNameProof>(),
    historical: new Set<SignedMessage>(),
    synced: new Set<SignedMessage>(),
    isCopy: isCopy(items[0]),
    outgoing: new Set<SignedMessage>(),
    sourceOffsets: new Map<object, SourceOffset>(),
  }
  for (const item of items) {
    const value = contentOf(item)
    batch[listOf[item.kind]].push(value as never)
    if (item.kind === 'nameTransfer' && item.isLost) batch.lostProofs.add(item.proof)
    if (item.kind === 'message' && item.isHistorical) batch.historical.add(item.message)
    if (item.kind === 'message' && item.isSynced) batch.synced.add(item.message)
    if (item.kind === 'message' && item.isOutgoing) batch.outgoing.add(item.message)
    if (item.kind === 'message' && item.unconfirmed) batch.unconfirmed.set(item.message, item.unconfirmed)
    if (item.kind === 'message' && item.confirmedProof)
      batch.confirmedProofs.set(item.message, item.confirmedProof)
    if ('sourceOffset' in item && item.sourceOffset) batch.sourceOffsets.set(value, item.sourceOffset)
  }
  return batch
}

function contentOf(item: QueueItem): OnChainEvent | UserNameProof | SignedMessage {
  if (item.kind === 'chainEvent') return item.event
  return item.kind === 'nameTransfer' ? item.proof : item.message
}
