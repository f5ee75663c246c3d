import { type Refusal, refusalKind } from '../platform/errors.js'
import { type OnChainEvent, SignerEventType, UserDataType } from '../protocol/definitions.js'
import { isChannelType } from '../protocol/message-kinds.js'
import { type Hub, SubmissionOrder } from './hub.js'
import { isMissingDependency } from './merge/applied-offsets.js'
import type { MergeItem } from './merge/shard-writer.js'
import type { Origin } from './origins.js'
import { submitUntilAvailable } from './submit-until-available.js'

export interface ReorderBufferOptions {
  readonly hub: Pick<Hub, 'submitItems'>
  /** Where the items come from. It is no client, so messages are never sent to the upstream. */
  readonly origin?: Exclude<Origin, 'client' | 'signer'>
  /** A hub that the operator trusts has verified the messages. */
  readonly trusted?: boolean
  /** Number of items of a batch. */
  readonly batchSize?: number
  /** After it is aborted, nothing waits for a hub that is unavailable. */
  readonly signal?: AbortSignal | undefined
  /** Called with the number of items, from the first on, that are durably merged, duplicates or refused. */
  readonly onSettled?: (items: number) => void | Promise<void>
  /** Called for each refusal that is not a duplicate. */
  readonly onRefused?: (item: MergeItem, refusal: Refusal) => void
}

/** The outcomes of all items. */
export interface MergeTally {
  merged: number
  duplicates: number
  /** Number of refusals by kind. */
  readonly refused: Map<string, number>
}

const DEFAULT_BATCH_SIZE = 1000
/** Batches in flight: one is merged, the next is verified, and a third waits. */
const MAX_IN_FLIGHT = 3

const primaryAddressTypes: ReadonlySet<UserDataType> = new Set([
  UserDataType.USER_DATA_PRIMARY_ADDRESS_ETHEREUM,
  UserDataType.USER_DATA_PRIMARY_ADDRESS_SOLANA,
])

interface Batch {
  readonly items: MergeItem[]
  /** Fids with messages in the batch. */
  readonly fids: Set<number>
  /** Fids that messages of the batch lend storage to. */
  readonly borrowers: Set<number>
  /** Fids whose primary address messages of the batch set. */
  readonly primaryAddressFids: Set<number>
  /** True while the batch has only releases of names. */
  hasOnlyNameReleases: boolean
}

/**
 * Submits a long stream of items to the hub in overlapping batches, without changing outcomes: one batch is
 * verified on some cores while another is merged. Within a batch the hub merges onchain events, then name
 * transfers, then messages. Where that order would change an outcome, the buffer waits:
 *
 * - a signer is removed after all messages before its removal are merged;
 * - storage is rented or lent to a fid that has no message in flight, because messages before that were pruned for lack of
 * storage, and no message of the borrower overtakes the loan;
 * - an address is verified when its fid has no primary address in flight: verifying one again revokes the primary address, and
 * within a batch verifications are merged first;
 * - a fid changes its custody address when it has no message in flight: the address before has granted its keys;
 * - a name of a fid changes when the fid has no message in flight, and a release of a name is in a batch of
 * its own.
 */
export class ReorderBuffer {
  readonly tally: MergeTally = { merged: 0, duplicates: 0, refused: new Map() }
  #batch: Batch = emptyBatch()
  #inFlight: { readonly batch: Batch; readonly settled: Promise<void> }[] = []
  #settledCount = 0
  readonly #order = new SubmissionOrder()

  constructor(private readonly options: ReorderBufferOptions) {}

  /** Adds an item. Resolves when there is room for the next one. */
  async add(item: MergeItem): Promise<void> {
    if (this.#mustDrainBefore(item)) await this.drain()
    const batch = this.#batch
    batch.items.push(item)
    if (item.kind === 'message') {
      const { fid, lendStorageBody, userDataBody } = item.message.data
      batch.fids.add(fid)
      if (lendStorageBody) batch.borrowers.add(lendStorageBody.toFid)
      if (userDataBody && primaryAddressTypes.has(userDataBody.type)) batch.primaryAddressFids.add(fid)
    }
    if (!isNameRelease(item)) batch.hasOnlyNameReleases = false
    if (batch.items.length >= (this.options.batchSize ?? DEFAULT_BATCH_SIZE)) await this.#send()
  }

  /** Resolves when all added items have settled. */
  async drain(): Promise<void> {
    await this.#send()
    while (this.#inFlight.length > 0) await this.#awaitFirst()
  }

  /** Resolves when no batch is in flight, also after one has failed. Those behind it may still be merged. */
  async awaitInFlight(): Promise<void> {
    await Promise.allSettled(this.#inFlight.map(({ settled }) => settled))
  }

  /** Counts a refusal of something that is not a valid item and was never submitted. */
  countRefusal(refusal: Refusal): void {
    const reason = refusalKind(refusal)
    this.tally.refused.set(reason, (this.tally.refused.get(reason) ?? 0) + 1)
  }

  #mustDrainBefore(item: MergeItem): boolean {
    const pending = [this.#batch, ...this.#inFlight.map(({ batch }) => batch)].filter(
      ({ items }) => items.length > 0,
    )
    // In-flight batches may be merged in another order, and the last channel message holds its slot.
    if (isChannelMessage(item) && this.#inFlight.some(({ batch }) => batch.items.some(isChannelMessage)))
      return true
    const mustFollowReleases = pending.some(({ hasOnlyNameReleases }) => hasOnlyNameReleases)
    if (item.kind === 'message') {
      const { fid, lendStorageBody, verificationAddAddressBody } = item.message.data
      const borrower = lendStorageBody?.toFid
      if (
        pending.some(
          ({ borrowers, fids, primaryAddressFids }) =>
            borrowers.has(fid) ||
            (borrower !== undefined && fids.has(borrower)) ||
            (verificationAddAddressBody && primaryAddressFids.has(fid)),
        )
      )
        return true
    }
    if (changesAccount(item))
      return mustFollowReleases || pending.some(({ fids }) => fids.has(item.event.fid))
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
    // `#awaitFirst` handles the rejection; until then it must not count as unhandled.
    settled.catch(() => {})
    this.#inFlight.push({ batch, settled })
    while (this.#inFlight.length >= MAX_IN_FLIGHT) await this.#awaitFirst()
  }

  async #awaitFirst(): Promise<void> {
    const first = this.#inFlight[0]!
    await first.settled
    this.#inFlight.shift()
  }

  /** `previousSettled` resolves when all batches before this one have settled. */
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
    await this.options.onSettled?.(this.#settledCount)
  }

  #count(item: MergeItem, refusal: Refusal | null): void {
    const { tally } = this
    if (refusal === null) {
      tally.merged += 1
    } else if (refusal.code === 'bad_request.duplicate') {
      tally.duplicates += 1
    } else {
      this.countRefusal(refusal)
      this.options.onRefused?.(item, refusal)
    }
  }

  /** Submits until the hub answers. Items that a failed attempt has merged are duplicates in the next. */
  async #submit(items: readonly MergeItem[]): Promise<(Refusal | null)[]> {
    if (items.length === 0) return []
    const { hub, origin = 'local', trusted = false, signal } = this.options
    const submit = () => hub.submitItems(items, { origin, trusted, order: this.#order })
    return await submitUntilAvailable(submit, signal)
  }
}

/** An entry that is done when this many items have settled. */
export interface AfterItems {
  readonly itemCount: number
}

/** Removes and returns the entries whose items have all settled. Entries are in ascending order of `itemCount`. */
export function takeSettled<Entry extends AfterItems>(entries: Entry[], settledCount: number): Entry[] {
  const firstUnsettled = entries.findIndex(({ itemCount }) => itemCount > settledCount)
  return entries.splice(0, firstUnsettled < 0 ? entries.length : firstUnsettled)
}

function emptyBatch(): Batch {
  return {
    items: [],
    fids: new Set(),
    borrowers: new Set(),
    primaryAddressFids: new Set(),
    hasOnlyNameReleases: true,
  }
}

function isChannelMessage(item: MergeItem): boolean {
  return item.kind === 'message' && isChannelType(item.message.data.type)
}

function isNameRelease(item: MergeItem): boolean {
  return item.kind === 'nameTransfer' && item.proof.fid === 0
}

/** Whether the event changes what messages of its fid are judged by. */
function changesAccount(item: MergeItem): item is Extract<MergeItem, { kind: 'chainEvent' }> {
  if (item.kind !== 'chainEvent') return false
  return item.event.storageRentEventBody !== undefined || item.event.idRegisterEventBody !== undefined
}

function isSignerRemoval(item: MergeItem): boolean {
  return item.kind === 'chainEvent' && removesSigner(item.event)
}

/** Whether the event removes a signer. Messages of that key must be merged before it. */
export function removesSigner(event: OnChainEvent): boolean {
  return event.signerEventBody?.eventType === SignerEventType.REMOVE
}

/**
 * Whether a refusal may come from the order of batches: the messages of one batch may be merged before those
 * of an earlier one. They are retried when all earlier batches have settled.
 */
function mayBeOutOfOrder(refusal: Refusal | null): boolean {
  return refusal !== null && isMissingDependency(refusal)
}
