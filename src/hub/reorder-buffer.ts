import { setTimeout as sleep } from 'node:timers/promises'
import { type OnChainEvent, SignerEventType } from '@farcaster/core'
import { PlazaError, type Refusal } from '../platform/errors.js'
import type { Hub } from './hub.js'
import { isMissingDependency } from './merge/missing-dependency.js'
import type { MergeItem } from './merge/shard-writer.js'

export interface ReorderBufferOptions {
  readonly hub: Pick<Hub, 'submit' | 'submitOnChainEvents' | 'submitNameTransfers'>
  /** Items that are sent together. */
  readonly batchSize?: number
  /** Once aborted, nothing waits for a hub that is away. */
  readonly signal?: AbortSignal | undefined
  /** Told of how many items, from the first one on, have settled: merged, known or refused, durably. */
  readonly onSettled?: (items: number) => void | Promise<void>
  /** Told of each refusal that is not about a duplicate. */
  readonly onRefused?: (item: MergeItem, refusal: Refusal) => void
}

/** What became of the items of an intake. */
export interface MergeTally {
  merged: number
  duplicates: number
  /** How many were refused for what: keys are `code: text`. */
  readonly refused: Map<string, number>
}

const DEFAULT_BATCH_SIZE = 1000
/** Batches on their way at once: one is merged while the next is verified and a third waits for it. */
const MAX_IN_FLIGHT = 3
/** A database that is away gets this many seconds to come back. */
const MAX_UNAVAILABLE_SECONDS = 120
const RETRY_DELAY_MS = 500

interface Batch {
  readonly items: MergeItem[]
  /** Fids that have messages in it. */
  readonly fids: Set<number>
  /** True while it holds nothing but released names. */
  hasOnlyNameReleases: boolean
}

/**
 * Takes a long stream of items into the hub in their order: the batches overlap, so that verifying one and
 * merging another use different cores, yet nothing overtakes what it rests on. Within a batch the hub merges
 * chain events before name transfers before messages; where that would turn the stream's order around for the
 * worse, the intake waits:
 *
 * - a signer is removed only when all messages before its removal have been merged;
 * - storage is rented to a fid only when it has no message under way: what there was no room for before is gone;
 * - a name of a fid changes only when that fid has no message under way, and a release of a name is alone.
 */
export class ReorderBuffer {
  readonly tally: MergeTally = { merged: 0, duplicates: 0, refused: new Map() }
  readonly #options: ReorderBufferOptions
  readonly #batchSize: number
  #batch: Batch = emptyBatch()
  #inFlight: { readonly batch: Batch; readonly settled: Promise<void> }[] = []
  #settledCount = 0

  constructor(options: ReorderBufferOptions) {
    this.#options = options
    this.#batchSize = options.batchSize ?? DEFAULT_BATCH_SIZE
  }

  /** Takes one more item. Resolves when there is room for the next one. */
  async add(item: MergeItem): Promise<void> {
    if (this.#mustDrainBefore(item)) await this.drain()
    const batch = this.#batch
    batch.items.push(item)
    if (item.kind === 'message') batch.fids.add(item.message.data.fid)
    if (!isNameRelease(item)) batch.hasOnlyNameReleases = false
    if (batch.items.length >= this.#batchSize) await this.#send()
  }

  /** Resolves when everything that was taken has settled. */
  async drain(): Promise<void> {
    await this.#send()
    while (this.#inFlight.length > 0) await this.#awaitFirst()
  }

  /** Counts what cannot be sent: it was refused before it could be called an item. */
  countRefusal({ code, message }: Refusal): void {
    // Without names and fids, of which there may be millions.
    const text = message.replace(/"[^"]*"/g, '"…"').replace(/\bfid \d+/gi, 'fid …')
    const reason = `${code}: ${text}`
    this.tally.refused.set(reason, (this.tally.refused.get(reason) ?? 0) + 1)
  }

  #mustDrainBefore(item: MergeItem): boolean {
    const pending = [this.#batch, ...this.#inFlight.map(({ batch }) => batch)].filter(
      ({ items }) => items.length > 0,
    )
    const mustFollowReleases = pending.some(({ hasOnlyNameReleases }) => hasOnlyNameReleases)
    if (isStorageRent(item)) return mustFollowReleases || pending.some(({ fids }) => fids.has(item.event.fid))
    if (isNameRelease(item)) return pending.some(({ hasOnlyNameReleases }) => !hasOnlyNameReleases)
    if (item.kind !== 'nameTransfer') return mustFollowReleases
    return mustFollowReleases || pending.some(({ fids }) => fids.has(item.proof.fid))
  }

  async #send(): Promise<void> {
    const batch = this.#batch
    if (batch.items.length === 0) return
    this.#batch = emptyBatch()
    const previousSettled = this.#inFlight.at(-1)?.settled ?? Promise.resolve()
    const settled = this.#mergeBatch(batch, previousSettled)
    // The rejection is met in `#settleFirst`; until then it is not unhandled.
    settled.catch(() => {})
    this.#inFlight.push({ batch, settled })
    while (this.#inFlight.length >= MAX_IN_FLIGHT) await this.#awaitFirst()
  }

  async #awaitFirst(): Promise<void> {
    const first = this.#inFlight[0]!
    await first.settled
    this.#inFlight.shift()
  }

  /** `before` is when everything ahead of the batch has settled. */
  async #mergeBatch(batch: Batch, previousSettled: Promise<void>): Promise<void> {
    const others = batch.items.filter((item) => !isSignerRemoval(item))
    const signerRemovals = batch.items.filter(isSignerRemoval)
    const outcomes = await this.#submit(others)
    await previousSettled
    const retried = others.filter((_, index) => mayBeOutOfOrder(outcomes[index] ?? null))
    const retryOutcomes = await this.#submit(retried)
    let next = 0
    for (const [index, item] of others.entries()) {
      const outcome = outcomes[index] ?? null
      this.#count(item, mayBeOutOfOrder(outcome) ? (retryOutcomes[next++] ?? null) : outcome)
    }
    const removalOutcomes = await this.#submit(signerRemovals)
    for (const [index, item] of signerRemovals.entries()) this.#count(item, removalOutcomes[index] ?? null)
    this.#settledCount += batch.items.length
    await this.#options.onSettled?.(this.#settledCount)
  }

  #count(item: MergeItem, refusal: Refusal | null): void {
    const { tally } = this
    if (refusal === null) {
      tally.merged += 1
    } else if (refusal.code === 'bad_request.duplicate') {
      tally.duplicates += 1
    } else {
      this.countRefusal(refusal)
      this.#options.onRefused?.(item, refusal)
    }
  }

  /** Submits until the hub has an answer: what was merged by an attempt that failed half-way is not merged again. */
  async #submit(items: readonly MergeItem[]): Promise<(Refusal | null)[]> {
    if (items.length === 0) return []
    let outcomes = await this.#attempt(items)
    for (let waitedMs = 0; outcomes instanceof PlazaError; waitedMs += RETRY_DELAY_MS) {
      if (waitedMs >= MAX_UNAVAILABLE_SECONDS * 1000 || this.#options.signal?.aborted) throw outcomes
      await sleep(RETRY_DELAY_MS)
      outcomes = await this.#attempt(items)
    }
    return outcomes
  }

  /** The outcomes, aligned with `items`; the error when the hub is not available now. */
  async #attempt(items: readonly MergeItem[]): Promise<(Refusal | null)[] | PlazaError> {
    const { hub } = this.#options
    const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []))
    const events = items.flatMap((item) => (item.kind === 'chainEvent' ? [item.event] : []))
    const proofs = items.flatMap((item) => (item.kind === 'nameTransfer' ? [item.proof] : []))
    const offsetsOf = (itemKind: MergeItem['kind']) => ({
      sourceOffsets: items.flatMap(({ kind, sourceOffset }) => (kind === itemKind ? [sourceOffset] : [])),
    })
    try {
      // In this order, so that the merge has queued the events when the messages are verified.
      const [eventOutcomes, proofOutcomes, messageOutcomes] = await Promise.all([
        events.length > 0 ? hub.submitOnChainEvents(events, offsetsOf('chainEvent')) : [],
        proofs.length > 0 ? hub.submitNameTransfers(proofs, offsetsOf('nameTransfer')) : [],
        messages.length > 0 ? hub.submit(messages, offsetsOf('message')) : [],
      ])
      const next = { chainEvent: 0, nameTransfer: 0, message: 0 }
      const byKind = { chainEvent: eventOutcomes, nameTransfer: proofOutcomes, message: messageOutcomes }
      const busy = messageOutcomes.find((outcome) => outcome?.code === 'unavailable')
      if (busy) return new PlazaError('unavailable', busy.message)
      return items.map(({ kind }) => byKind[kind][next[kind]++] ?? null)
    } catch (error) {
      if (error instanceof PlazaError && error.code === 'unavailable') return error
      throw error
    }
  }
}

function emptyBatch(): Batch {
  return { items: [], fids: new Set(), hasOnlyNameReleases: true }
}

function isNameRelease(item: MergeItem): boolean {
  return item.kind === 'nameTransfer' && item.proof.fid === 0
}

function isStorageRent(item: MergeItem): item is Extract<MergeItem, { kind: 'chainEvent' }> {
  return item.kind === 'chainEvent' && item.event.storageRentEventBody !== undefined
}

function isSignerRemoval(item: MergeItem): boolean {
  return item.kind === 'chainEvent' && removesSigner(item.event)
}

/** Whether the event ends that a key may sign: messages of that key must be merged before. */
export function removesSigner(event: OnChainEvent): boolean {
  return event.signerEventBody?.eventType === SignerEventType.REMOVE
}

/**
 * True for refusals that can come from overtaking: the verified messages of one batch may reach the merge
 * before those of the batch ahead. They are tried again once nothing is ahead.
 */
function mayBeOutOfOrder(refusal: Refusal | null): boolean {
  return refusal !== null && isMissingDependency(refusal)
}
