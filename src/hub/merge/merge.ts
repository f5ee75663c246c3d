import type { Database, Transaction } from '../../platform/db/connection.js'
import { inPipeline, transact, type WithCommit } from '../../platform/db/pipeline.js'
import { planModeFor, setPlanMode } from '../../platform/db/plan-mode.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import { nextTurn } from '../../platform/process/turns.js'
import { type AccountRecovery, recoverClaimant } from '../../protocol/account-recovery.js'
import { FarcasterNetwork } from '../../protocol/definitions.js'
import { isV21 } from '../../protocol/engine-version.js'
import type { SignedMessage } from '../../protocol/message.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { isChannelType } from '../../protocol/message-kinds.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { logDay } from '../log/partitions.js'
import type { LoggedEvent } from '../log/write.js'
import { excludeApplied, mergeAppliedOutcomes, saveAppliedOffsets } from './applied-offsets.js'
import type { MergeBatch, MergeOutcomes } from './batch.js'
import { mergeChainEvents } from './chain-events.js'
import { orderKeyMessages } from './key-order.js'
import { recoverKeyClaims } from './keys/key-claims.js'
import { loadState } from './load.js'
import { applyUpstreamRemoval, conflictKeyOf, mergeMessage } from './merge-message.js'
import { mergeNameTransfer, releaseLostName, removeLostName } from './names.js'
import { saveOutgoing } from './outgoing.js'
import { loadOwnedChannels } from './owner-hints.js'
import { type OversizedSet, omitRepeatedPrunes, prune, recordPruned } from './prune.js'
import { mergeOrder } from './rules.js'
import { appendBlocks, buildShardBlocks } from './shard-blocks.js'
import { lockShard } from './shard-lock.js'
import type { BatchState, PendingEvent, SetCount } from './state.js'
import { conflictKeyId } from './stored-message.js'
import { writeChanges } from './write.js'

/** The outcomes of a batch and the events that it logged. */
export interface MergeResult extends MergeOutcomes {
  readonly events: readonly LoggedEvent[]
}

/** Runs in the transaction of the merge, after the events have ids. An error fails the merge. */
export type MergeHook = (
  db: Transaction,
  events: readonly LoggedEvent[],
  withCommit: WithCommit,
) => Promise<void>

/** Settings that all merges of a hub share. */
export interface MergeSettings {
  /** Number of shards of the hub. */
  readonly shards: number
  readonly hooks: readonly MergeHook[]
  /** The FarcasterNetwork of the hub; mainnet by default. */
  readonly network?: number
  /** Recovers who signed key messages; by default in the calling thread. */
  readonly recover?: AccountRecovery
}

/**
 * Merges a batch into one shard, in one transaction: lock, load, decide in memory, write, log, run hooks.
 *
 * When it resolves, everything is durable; when it throws, nothing was merged, unless the connection was lost
 * during the commit. Items with a source offset are merged once even then: the transaction stores their
 * offsets.
 *
 * The lock belongs to the transaction: any process may write any shard, one at a time, and a process that
 * dies releases it. Ids are assigned under the lock and are visible before it is released, so readers never
 * see an id before all smaller ones.
 *
 * @param nowMs Unix milliseconds.
 */
export async function mergeBatch(
  db: Database,
  shard: number,
  input: MergeBatch,
  settings: MergeSettings,
  nowMs: number,
): Promise<MergeResult> {
  const keyClaims = await recoverKeyClaims(input.messages, settings.recover ?? recoverClaimant)
  const nowUnix = Math.floor(nowMs / 1000)
  const network = settings.network ?? FarcasterNetwork.MAINNET
  const hasChannels = isV21(network, farcasterSecondsFromUnixMs(nowMs))
  return await transact(db, async (transaction, withCommit) => {
    const load = async (batch: MergeBatch) => {
      const [state, ownedChannels] = await inPipeline([
        loadState(transaction, batch, keyClaims, nowUnix, network),
        hasChannels ? loadOwnedChannels(transaction, batch) : new Map<string, string[]>(),
      ])
      state.loadOwnedChannels(ownedChannels)
      return state
    }
    // On-chain events change what is loaded. Without any, the round trip that locks also loads.
    const planMode = setPlanMode(transaction, planModeFor(sizeOf(input)))
    const [{ heads, applied, days }, loaded] = await inPipeline([
      lockShard(transaction, shard, input, settings.shards),
      input.chainEvents.length === 0 ? load(input) : null,
      planMode,
    ])
    const batch = excludeApplied(input, applied)
    const chain = await mergeChainEvents(transaction, batch.chainEvents, { shards: settings.shards, network })
    const state = loaded ?? (await load(batch))
    const ordered = inMergeOrder(batch.messages, state)
    const outcomes = { ...(await decideMerges(batch, ordered, state)), chainEvents: chain.outcomes }
    const nonHistorical = batch.messages.filter(
      (message, index) => outcomes.messages[index] === null && !batch.historical?.has(message),
    )
    const day = logDay(nowMs, days)
    const { written, prunedHashes, events } = await writeBatch(transaction, state, nonHistorical, day)
    const pending = [...chain.events, ...(hasChannels ? chain.hints : []), ...events]
    const messageOutcomes = outcomes.messages.map(
      (outcome, index) => outcome ?? refuseIfPruned(batch.messages[index]!, prunedHashes),
    )
    const blocks = buildShardBlocks(heads, pending, settings.shards, farcasterSecondsFromUnixMs(nowMs))
    const logged = blocks.flatMap((each) => each.events)
    await inPipeline([
      written,
      appendBlocks(transaction, blocks, { isCopy: batch.isCopy, day, nowUnix }),
      runHooks(transaction, settings.hooks, logged, withCommit),
      saveAppliedOffsets(transaction, batch, outcomes),
      saveOutgoing(transaction, outgoingOf(batch, ordered, messageOutcomes)),
    ])
    return {
      ...mergeAppliedOutcomes(input, applied, {
        ...outcomes,
        messages: messageOutcomes,
      }),
      events: logged,
    }
  })
}

/** The number of items of a batch. */
function sizeOf({ chainEvents, nameTransfers, messages, upstreamRemovals = [], lostNames = [] }: MergeBatch) {
  const lists = [chainEvents, nameTransfers, messages, upstreamRemovals, lostNames]
  return lists.reduce((sum, list) => sum + list.length, 0)
}

/** Decides everything but on-chain events, in the protocol's order. Changes the state. */
async function decideMerges(batch: MergeBatch, ordered: readonly OrderedMessage[], state: BatchState) {
  const nameTransfers = batch.nameTransfers.map((proof) =>
    batch.lostProofs?.has(proof) ? releaseLostName(proof, state) : mergeNameTransfer(proof, state),
  )
  const messages = await mergeInOrder(ordered, state)
  const upstreamRemovals = (batch.upstreamRemovals ?? []).map((message) =>
    applyUpstreamRemoval(message, state),
  )
  const lostNames = (batch.lostNames ?? []).map((message) => removeLostName(message, state))
  return { nameTransfers, messages, upstreamRemovals, lostNames }
}

/** Runs the hooks one after the other: each sees what the one before it has written and not left to the commit. */
async function runHooks(
  db: Transaction,
  hooks: readonly MergeHook[],
  events: readonly LoggedEvent[],
  withCommit: WithCommit,
): Promise<void> {
  if (events.length === 0) return
  for (const hook of hooks) await hook(db, events, withCommit)
}

const NO_HASH = Buffer.alloc(0)

/** Decides messages, in the protocol's order, by a state that it changes. Returns their refusals, aligned with them. */
export function decideMessages(
  messages: readonly SignedMessage[],
  state: BatchState,
): Promise<(Refusal | null)[]> {
  return mergeInOrder(inMergeOrder(messages, state), state)
}

/** A batch of 1,000 messages is decided in less. Compact states each look at all links of their user, up to 1.6 s for a batch. */
const MAX_DECIDING_MS = 50

/** Merges messages in the protocol's order. Others have their turn where it takes long. */
async function mergeInOrder(
  ordered: readonly OrderedMessage[],
  state: BatchState,
): Promise<(Refusal | null)[]> {
  const outcomes: (Refusal | null)[] = new Array(ordered.length).fill(null)
  let startMs = performance.now()
  for (const { message, index } of ordered) {
    outcomes[index] = mergeMessage(message, state)
    if (performance.now() - startMs < MAX_DECIDING_MS) continue
    await nextTurn()
    startMs = performance.now()
  }
  return outcomes
}

/** A message, and its index in the batch. */
interface OrderedMessage {
  readonly message: SignedMessage
  readonly index: number
}

/** The protocol's order: by type, by timestamp, by nonce, then by hash (docs/protocol.md §1.8). */
function inMergeOrder(messages: readonly SignedMessage[], state: BatchState): OrderedMessage[] {
  const keyOrders = orderKeyMessages(messages, state)
  return messages
    .map((message, index) => {
      // The hub that these come from has decided their order, and the last one holds the slot.
      const isDecided = isChannelType(message.data.type) && state.historical.has(message)
      const { time, nonce } = keyOrders.get(message) ?? {
        time: isDecided ? 0 : message.data.timestamp,
        nonce: Number.MAX_SAFE_INTEGER,
      }
      const hash = isDecided ? NO_HASH : message.hash
      return { message, index, priority: mergeOrder(message.data), time, nonce, hash }
    })
    .sort(
      (a, b) =>
        a.priority - b.priority || a.time - b.time || a.nonce - b.nonce || Buffer.compare(a.hash, b.hash),
    )
}

/** The merged messages of the batch that are for the upstream, in the order in which they were merged. */
function outgoingOf(
  { outgoing }: MergeBatch,
  ordered: readonly OrderedMessage[],
  outcomes: readonly (Refusal | null)[],
): SignedMessage[] {
  if (outgoing === undefined || outgoing.size === 0) return []
  return ordered
    .filter(({ message, index }) => outcomes[index] === null && outgoing.has(message))
    .map(({ message }) => message)
}

/** The changes of a batch, sent to the database. */
interface WrittenBatch {
  /** Settles when the database has them: what is sent behind them needs not wait for it. */
  readonly written: Promise<unknown>
  readonly prunedHashes: ReadonlyMap<string, Buffer>
  /** Events of the changes and of pruning. */
  readonly events: readonly PendingEvent[]
}

/** Writes the changes of the batch and prunes. Waits for the database only where it prunes. */
async function writeBatch(
  db: Transaction,
  state: BatchState,
  nonHistorical: readonly SignedMessage[],
  day: string,
): Promise<WrittenBatch> {
  const deltas = state.countDeltas()
  const written = writeChanges(db, state, deltas)
  const oversized = findOversizedSets(state.countsAfter(deltas), state, nonHistorical)
  if (oversized.length === 0) return { written, prunedHashes: new Map(), events: state.events }
  await written
  const { pruned, events } = await prune(db, oversized)
  const previouslyPruned = await recordPruned(db, pruned, day)
  return {
    written,
    prunedHashes: new Map(pruned.map((stored) => [conflictKeyId(stored), stored.hash])),
    events: omitRepeatedPrunes([...state.events, ...events], previouslyPruned),
  }
}

/**
 * Finds changed sets over their limit, whether they grew or not. Sets that changed only by historical messages may hold
 * what all units ever rented allow, until the next ordinary merge of their user (docs/protocol.md §4.14).
 */
function findOversizedSets(
  counts: readonly SetCount[],
  state: BatchState,
  nonHistorical: readonly SignedMessage[],
): OversizedSet[] {
  const nonHistoricalSets = new Set(nonHistorical.map((message) => setKey(conflictKeyOf(message))))
  return counts.flatMap((setCount) => {
    const { fid, set, count } = setCount
    // What a lender may lend is limited when it lends. Its units that remain say nothing about its loans.
    if (set === MessageSet.lends) return []
    // Engine V21 refuses verifications in place of pruning them.
    if (set === MessageSet.verifications && state.hasV21) return []
    const account = state.accounts.get(fid)
    const limit = nonHistoricalSets.has(setKey(setCount))
      ? account?.limits[set]
      : account?.historicalLimits[set]
    return limit !== undefined && count > limit ? [{ fid, set, excess: count - limit }] : []
  })
}

function setKey(conflictKey: Pick<SetCount, 'fid' | 'set'> | null): string {
  return conflictKey ? `${conflictKey.fid}/${conflictKey.set}` : ''
}

/** Refuses a message that was merged and pruned in this batch: it is logged, but not stored. */
function refuseIfPruned(message: SignedMessage, pruned: ReadonlyMap<string, Buffer>): Refusal | null {
  if (pruned.size === 0) return null
  const conflictKey = conflictKeyOf(message)
  if (!conflictKey || !pruned.get(conflictKeyId(conflictKey))?.equals(message.hash)) return null
  return refuse('bad_request.prunable', 'message is older than everything that storage has room for')
}
