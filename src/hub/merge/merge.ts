import type { Database, Transaction } from '../../platform/db/connection.js'
import { type Refusal, refuse } from '../../platform/errors.js'
import type { SignedMessage } from '../../protocol/message.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import { dayOf } from '../log/partitions.js'
import { appendEvents, buildBlocks, type LoggedEvent, type ShardHead } from '../log/write.js'
import {
  excludeApplied,
  findAppliedItems,
  mergeAppliedOutcomes,
  saveAppliedOffsets,
} from './applied-offsets.js'
import type { MergeBatch, MergeOutcomes } from './batch.js'
import { mergeChainEvents } from './chain-events.js'
import { recoverKeyClaims } from './gasless-keys.js'
import { loadState } from './load.js'
import { applyUpstreamRemoval, conflictKeyOf, mergeMessage } from './merge-message.js'
import { mergeNameTransfer } from './names.js'
import { type OversizedSet, omitRepeatedPrunes, prune, recordPruned } from './prune.js'
import { mergeOrder, ruleOf } from './rules.js'
import { lockShards } from './shard-lock.js'
import type { BatchState, PendingEvent } from './state.js'
import { conflictKeyId } from './stored-message.js'
import { type SetCount, writeChanges } from './write.js'

/** What became of a batch, and what was logged. */
export interface MergeResult extends MergeOutcomes {
  /** What was logged, with its ids. */
  readonly events: readonly LoggedEvent[]
}

/**
 * Runs inside the merge's transaction, after the events have their ids: what it writes is there exactly when
 * the events are. An error fails the merge.
 */
export type MergeHook = (db: Transaction, events: readonly LoggedEvent[]) => Promise<void>

/** What every merge of a hub has in common. */
export interface MergeSettings {
  /** How many shards the hub has. */
  readonly shards: number
  readonly hooks: readonly MergeHook[]
}

/**
 * Merges a batch into one shard, in one transaction: lock, load, decide in memory, write, log, hooks. When it
 * resolves, everything is durable; when it throws, nothing happened, unless the connection was lost in the
 * very act of committing. What comes from the log of another hub is merged once all the same: its place there is
 * written down in this transaction.
 *
 * The lock belongs to the transaction, so any process may write any shard, one at a time, and a writer that
 * dies frees it by dying. Ids are handed out under the lock and become visible before it is released:
 * nobody sees an id before all smaller ones.
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
  const keyClaims = await recoverKeyClaims(input.messages)
  return await db.begin(async (transaction) => {
    const { head, applied } = await lockShard(transaction, shard, input, settings.shards)
    const batch = excludeApplied(input, applied)
    const chain = await mergeChainEvents(transaction, batch.chainEvents, settings.shards)
    const nowUnix = Math.floor(nowMs / 1000)
    const state = await loadState(transaction, batch, keyClaims, nowUnix)
    const nameTransfers = batch.nameTransfers.map((proof) => mergeNameTransfer(proof, state))
    const messages = mergeInOrder(batch.messages, state)
    const upstreamRemovals = (batch.upstreamRemovals ?? []).map((message) =>
      applyUpstreamRemoval(message, state),
    )
    const { prunedHashes, events } = await writeBatch(
      transaction,
      state,
      nonHistoricalMessages(batch, messages),
      dayOf(nowMs),
    )
    const pending = [...chain.events, ...events]
    const outcomes = { upstreamRemovals, chainEvents: chain.outcomes, nameTransfers, messages }
    const [logged] = await Promise.all([
      appendToLog(transaction, shard, head, pending, settings, nowMs),
      saveAppliedOffsets(transaction, batch, outcomes),
    ])
    return {
      ...mergeAppliedOutcomes(input, applied, {
        ...outcomes,
        messages: messages.map(
          (outcome, index) => outcome ?? refuseIfPruned(batch.messages[index]!, prunedHashes),
        ),
      }),
      events: logged,
    }
  })
}

/**
 * Takes the writer's lock; of all shards, in order, when the batch touches names or gasless keys, which are
 * unique across fids and so belong to no shard.
 */
async function lockShard(
  db: Transaction,
  shard: number,
  batch: MergeBatch,
  shards: number,
): Promise<{ head: ShardHead; applied: ReadonlySet<object> }> {
  const affectsAllShards =
    batch.nameTransfers.length > 0 || batch.messages.some(({ data }) => ruleOf(data.type).locksAllShards)
  const locked = affectsAllShards ? Array.from({ length: shards }, (_, index) => index + 1) : [shard]
  // Sent in one go: the server runs them in order, so the rest is read with the locks held.
  const [, [row], applied] = await Promise.all([
    lockShards(db, locked),
    db<{ height: number; block_hash: Buffer }[]>`
      select height, block_hash from hub.shards where shard = ${shard}
    `,
    findAppliedItems(db, batch.sourceOffsets),
  ])
  if (!row) throw new Error(`shard ${shard} has no row in hub.shards`)
  return { head: { height: row.height, blockHash: row.block_hash }, applied }
}

/** The protocol's order within a block: by what others rest on, then by time (docs/protocol.md §1.8). */
function mergeInOrder(messages: readonly SignedMessage[], state: BatchState): (Refusal | null)[] {
  const outcomes: (Refusal | null)[] = new Array(messages.length).fill(null)
  const order = messages
    .map((message, index) => ({ message, index, priority: mergeOrder(message.data) }))
    .sort((a, b) => a.priority - b.priority || a.message.data.timestamp - b.message.data.timestamp)
  for (const { message, index } of order) outcomes[index] = mergeMessage(message, state)
  return outcomes
}

/** What has merged without another hub's word for it. What is refused is no merge of its user. */
function nonHistoricalMessages(batch: MergeBatch, outcomes: readonly (Refusal | null)[]): SignedMessage[] {
  return batch.messages.filter(
    (message, index) => outcomes[index] === null && !batch.historical?.has(message),
  )
}

/** Writes what the batch has changed, and prunes. The events are those of the batch and those of pruning. */
async function writeBatch(
  db: Transaction,
  state: BatchState,
  nonHistorical: readonly SignedMessage[],
  day: string,
): Promise<{ prunedHashes: ReadonlyMap<string, Buffer>; events: readonly PendingEvent[] }> {
  const counts = await writeChanges(db, state)
  const oversized = findOversizedSets(counts, state, nonHistorical)
  if (oversized.length === 0) return { prunedHashes: new Map(), events: state.events }
  const { pruned, events } = await prune(db, oversized)
  const previouslyPruned = await recordPruned(db, pruned, day)
  return {
    prunedHashes: new Map(pruned.map((stored) => [conflictKeyId(stored), stored.hash])),
    events: omitRepeatedPrunes([...state.events, ...events], previouslyPruned),
  }
}

/**
 * Sets that have grown only by what another hub lets stand may hold what storage was ever rented for: a set shrinks
 * to what storage is left at the next merge of its user, here as there (docs/protocol.md §4.8).
 */
function findOversizedSets(
  counts: readonly SetCount[],
  state: BatchState,
  nonHistorical: readonly SignedMessage[],
): OversizedSet[] {
  const nonHistoricalSets = new Set(nonHistorical.map((message) => setKey(conflictKeyOf(message))))
  return counts.flatMap((setCount) => {
    const { fid, set, count } = setCount
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

async function appendToLog(
  db: Transaction,
  shard: number,
  head: ShardHead,
  pending: readonly PendingEvent[],
  settings: MergeSettings,
  nowMs: number,
): Promise<readonly LoggedEvent[]> {
  const built = buildBlocks(shard, head, pending, farcasterSecondsFromUnixMs(nowMs))
  await appendEvents(db, shard, built.events, built.head, dayOf(nowMs))
  if (built.events.length > 0) {
    for (const hook of settings.hooks) await hook(db, built.events)
  }
  return built.events
}

/**
 * The protocol merges a message that is older than everything in a full set and prunes it in the same block;
 * both events are logged. Its sender is told that nothing was kept.
 */
function refuseIfPruned(message: SignedMessage, pruned: ReadonlyMap<string, Buffer>): Refusal | null {
  if (pruned.size === 0) return null
  const conflictKey = conflictKeyOf(message)
  if (!conflictKey || !pruned.get(conflictKeyId(conflictKey))?.equals(message.hash)) return null
  return refuse('bad_request.prunable', 'message is older than everything that storage has room for')
}
