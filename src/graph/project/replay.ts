import type { HubEventBody } from '../../hub/log/hub-event.js'
import { hubEventBody } from '../../hub/log/hub-event.js'
import { lockShards } from '../../hub/merge/shard-lock.js'
import { shardNumbers } from '../../hub/shard-count.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { isLockTimeout } from '../../platform/db/connection-errors.js'
import { inPipeline } from '../../platform/db/pipeline.js'
import { pause } from '../../platform/process/pause.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import { HubEventType, MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import { projectGaslessApps, projectSignerApps, projectUsers } from './chain.js'
import { removeCompacted } from './links.js'
import { projectChanges, projectEventBatch, projectInto } from './project.js'
import { rebuildProtocolChannels } from './protocol-channels.js'
import { refuseDependents } from './replay-dependents.js'
import { type ReplayLock, withReplayLock } from './replay-lock.js'
import {
  analyzeTable,
  buildIndexes,
  copyAppsOfRemovedKeys,
  copyPreservedColumns,
  copySchema,
  dropReplaySchemas,
  lockPreservedTables,
  swapSchemas,
} from './replay-schema.js'
import { lockThreadsExclusively, type ThreadLock } from './thread-lock.js'

export interface ReplayOptions {
  readonly shards: number
  /** Rows that one transaction projects. */
  readonly pageRows?: number
  /** Called after every page with the messages projected so far and their approximate total. */
  readonly onProgress?: (done: number, total: number) => void
  /** Called when a step other than a page begins. */
  readonly onStep?: (step: ReplayStep) => void
  /** Runs in the transaction that swaps the new read model in. */
  readonly onSwap?: (transaction: Transaction) => Promise<void>
  /** Aborts the replay, with its reason. */
  readonly signal?: AbortSignal
}

/** The step that is running. */
export type ReplayStep = 'accounts' | 'indexes' | 'catching up'

const DEFAULT_PAGE_ROWS = 2000

/** Longest wait of the swap for a lock: readers of a table that it locks, and perhaps merges, wait as long. */
const swapLockTimeout = '2s'
/** Wait between two attempts to swap, or to drop the former read model. */
const SWAP_RETRY_MS = 5_000
/** A minute and a half. */
const MAX_DROP_ATTEMPTS = 12

/** No lock: nothing else writes into the schema of a replay, so threads may move in it. */
const soleWriter: ThreadLock = { mode: 'exclusive' }

/** The last projected event id of each shard. */
type Heads = Map<number, number>

/**
 * Rebuilds the read model from the hub with the same projections, in a schema beside the live one, while
 * merges and reads go on. Then it follows the log until it has caught up and swaps the schemas in one
 * transaction. A replay that is aborted before leaves the live schema unchanged.
 *
 * @param db Needs three connections.
 * @returns whether the former read model was dropped. While its tables are in use, or after an error, it is left to the next replay.
 * @throws when another replay runs, when the connection with its lock is lost, when views, foreign keys, policies or triggers of an operator would be dropped, or when the log dropped events that were merged since the replay began.
 */
export async function replay(db: Database, options: ReplayOptions): Promise<boolean> {
  return await withReplayLock(db, async (lock) => {
    await refuseDependents(db)
    await lock.begin(dropReplaySchemas)
    await rebuildSchema(db, lock, options).catch(async (error: unknown) => {
      // The next replay cleans up what this one cannot. Without its lock, they are the schemas of another.
      await lock.begin(dropReplaySchemas).catch(() => {})
      throw error
    })
    // The new read model is in place, whatever becomes of the former.
    return await dropFormer(lock, options.signal).catch(() => false)
  })
}

async function dropFormer(lock: ReplayLock, signal?: AbortSignal): Promise<boolean> {
  for (let attempt = 1; attempt <= MAX_DROP_ATTEMPTS && !signal?.aborted; attempt += 1) {
    if (attempt > 1) await pause(SWAP_RETRY_MS, signal)
    if (await unlessInUse(() => lock.begin(dropIfUnused))) return true
  }
  return false
}

async function dropIfUnused(transaction: Transaction): Promise<void> {
  await transaction.unsafe(`set local lock_timeout = '${swapLockTimeout}'`)
  await dropReplaySchemas(transaction)
}

/** Returns false if the work was given up because it waited for a lock. */
async function unlessInUse(work: () => Promise<void>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (isLockTimeout(error)) return false
    throw error
  }
}

async function rebuildSchema(db: Database, lock: ReplayLock, options: ReplayOptions): Promise<void> {
  const { signal, onStep } = options
  await lock.begin(copySchema)
  onStep?.('accounts')
  const heads = await projectStoredMessages(db, lock, options)
  onStep?.('indexes')
  await buildIndexes(db, lock, signal)
  await copyPreservedColumns(lock, signal)
  await copyAppsOfRemovedKeys(lock)
  onStep?.('catching up')
  await catchUp(lock, heads, options)
  while (!(await swapIn(lock, heads, options))) {
    await pause(SWAP_RETRY_MS, signal)
    signal?.throwIfAborted()
    await catchUp(lock, heads, options)
  }
}

/** Follows the log until few events are left, while merges go on. */
async function catchUp(
  lock: ReplayLock,
  heads: Heads,
  { signal, pageRows = DEFAULT_PAGE_ROWS }: ReplayOptions,
): Promise<void> {
  // When only this many events are left, the rest is projected with the writers locked out.
  const catchUpEvents = Math.ceil(pageRows / 4)
  while ((await lock.begin((transaction) => follow(transaction, heads, catchUpEvents))) === catchUpEvents) {
    signal?.throwIfAborted()
  }
}

/**
 * Projects the rest of the log and swaps the new read model in, in one transaction that locks the writers out. Nobody
 * merges while it waits, so it gives up when a table is in use for long.
 *
 * @returns whether it was swapped in. If not, nothing has changed.
 */
async function swapIn(
  lock: ReplayLock,
  heads: Heads,
  { signal, onSwap, shards, pageRows = DEFAULT_PAGE_ROWS }: ReplayOptions,
): Promise<boolean> {
  // A copy, because what it projects is rolled back when it gives up.
  const lastHeads = new Map(heads)
  return await unlessInUse(() =>
    lock.begin(async (transaction) => {
      await transaction.unsafe(`set local lock_timeout = '${swapLockTimeout}'`)
      await lockPreservedTables(transaction)
      await lockShards(transaction, shardNumbers(shards))
      // The job of waiting threads takes this lock alone, and would write one table of the old model and one of the new.
      await lockThreadsExclusively(transaction)
      while ((await follow(transaction, lastHeads, pageRows)) === pageRows);
      // The last check: the swap follows.
      signal?.throwIfAborted()
      // Those that were made meanwhile.
      await refuseDependents(transaction)
      await swapSchemas(transaction)
      await rebuildProtocolChannels(transaction)
      await onSwap?.(transaction)
    }),
  )
}

/** Projects all stored messages from one snapshot, and returns the log position of the snapshot. */
async function projectStoredMessages(db: Database, lock: ReplayLock, options: ReplayOptions): Promise<Heads> {
  return await db.begin('isolation level repeatable read read only', async (snapshot) => {
    // The limit for ordinary transactions must not end a long read.
    await snapshot`set local idle_in_transaction_session_timeout = 0`
    const shards = await snapshot<{ shard: number; head: number }[]>`
      select s.shard, coalesce((select max(e.id) from hub.events e where e.shard = s.shard), s.first_retained_id - 1) as head
      from hub.shards s
    `
    await projectAccounts(lock, snapshot, options)
    await projectMessages(lock, snapshot, options)
    return new Map(shards.map(({ shard, head }) => [shard, head]))
  })
}

async function inReplaySchema(
  lock: ReplayLock,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  await lock.begin(async (transaction) => {
    await projectInto(transaction, 'social_replay')
    // A crash discards a half-built schema, so commits need not wait for the disk.
    await transaction`set local synchronous_commit = off`
    await work(transaction)
  })
}

async function projectAccounts(
  lock: ReplayLock,
  snapshot: Transaction,
  { signal, pageRows = DEFAULT_PAGE_ROWS }: ReplayOptions,
): Promise<void> {
  for (let last = 0; ; ) {
    signal?.throwIfAborted()
    const rows = await snapshot<{ fid: number }[]>`
      select fid from hub.fids where fid > ${last} order by fid limit ${pageRows}
    `
    const end = rows.at(-1)
    if (!end) return
    last = end.fid
    const fids = rows.map(({ fid }) => fid)
    await inReplaySchema(lock, async (transaction) => {
      await projectUsers(transaction, fids)
      await projectSignerApps(transaction, fids)
    })
  }
}

interface MessageRow {
  fid: number
  set: number
  key: Buffer
  message: Buffer
}

async function projectMessages(
  lock: ReplayLock,
  snapshot: Transaction,
  { signal, onProgress, pageRows = DEFAULT_PAGE_ROWS }: ReplayOptions,
): Promise<void> {
  const [counted] = await snapshot<
    { total: number }[]
  >`select coalesce(sum(count), 0)::bigint as total from hub.set_counts`
  let last: Pick<MessageRow, 'fid' | 'set' | 'key'> = { fid: 0, set: 0, key: Buffer.alloc(0) }
  let analyzed = 0
  for (let done = 0; ; ) {
    signal?.throwIfAborted()
    const rows = await snapshot<MessageRow[]>`
      select fid, set, key, message
      from hub.messages
      where (fid, set, key) > (${last.fid}, ${last.set}, ${last.key})
      order by fid, set, key
      limit ${pageRows}
    `
    const end = rows.at(-1)
    if (!end) return
    last = end
    const added = rows.map((row) => decodeStoredMessage(row.message)).filter(isAdd)
    await inReplaySchema(lock, async (transaction) => {
      await projectGaslessApps(transaction, added)
      await inPipeline(await projectChanges(transaction, { added, removed: [] }, soleWriter))
    })
    done += rows.length
    if (done > analyzed * 2) {
      // Without statistics the planner takes a cast to have a share of all others as replies, and reads the whole table.
      await analyzeTable(lock, 'casts', signal)
      analyzed = done
    }
    onProgress?.(done, counted!.total)
  }
}

function isAdd({ data }: SignedMessage): boolean {
  return data.type !== MessageType.LINK_COMPACT_STATE
}

/**
 * Projects the next events after the heads, at most `limit` per shard. Returns the largest number of one
 * shard.
 */
async function follow(db: Transaction, heads: Heads, limit: number): Promise<number> {
  await projectInto(db, 'social_replay')
  let most = 0
  for (const [shard, head] of heads) {
    await checkEventsRetained(db, shard, head)
    const rows = await db<{ id: number; event: Buffer }[]>`
      select id, event
      from hub.events
      where shard = ${shard} and id > ${head}
      order by id
      limit ${limit}
    `
    most = Math.max(most, rows.length)
    const last = rows.at(-1)
    if (!last) continue
    await projectLogged(
      db,
      rows.map((row) => hubEventBody(row.event)),
    )
    heads.set(shard, last.id)
  }
  return most
}

async function checkEventsRetained(db: Transaction, shard: number, head: number): Promise<void> {
  const [row] = await db<
    { first_retained_id: number }[]
  >`select first_retained_id from hub.shards where shard = ${shard}`
  if (row && row.first_retained_id > head + 1) {
    throw new Error(
      `the log dropped events of shard ${shard} after ${head} during the replay: keep events for longer`,
    )
  }
}

/**
 * Projects events as the log has them. The log does not name what a compact state removed (docs/protocol.md
 * §1.4), so this applies the compact state's rule in its place.
 */
export async function projectLogged(db: Transaction, bodies: readonly HubEventBody[]): Promise<void> {
  let batch: { body: HubEventBody }[] = []
  for (const body of bodies) {
    const isCompact =
      body.type === HubEventType.MERGE_MESSAGE && body.message.data.type === MessageType.LINK_COMPACT_STATE
    if (!isCompact) {
      batch.push({ body })
      continue
    }
    await inPipeline(await projectEventBatch(db, batch, { threads: soleWriter }))
    batch = []
    await removeCompacted(db, body.message)
  }
  await inPipeline(await projectEventBatch(db, batch, { threads: soleWriter }))
}
