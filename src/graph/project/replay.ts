import { HubEventType, MessageType } from '@farcaster/core'
import type { HubEventBody } from '../../hub/log/hub-event.js'
import { hubEventBody } from '../../hub/log/hub-event.js'
import { lockShards } from '../../hub/merge/shard-lock.js'
import type { Database, Transaction } from '../../platform/db/connection.js'
import { decodeStoredMessage } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import { projectSignerApps, projectUsers } from './chain.js'
import { removeCompacted } from './links.js'
import { projectChanges, projectEventBatch, projectInto } from './project.js'
import { buildIndexes, copySchema, dropReplaySchemas, swapSchemas } from './replay-schema.js'

export interface ReplayOptions {
  readonly shards: number
  /** How many rows are projected in one transaction. */
  readonly pageRows?: number
  /** Told after every page, of messages projected so far and of how many there are about. */
  readonly onProgress?: (done: number, total: number) => void
  /** Told what begins, besides the pages. */
  readonly onStep?: (step: ReplayStep) => void
  /** Run in the transaction that puts the new read model in place. */
  readonly onSwap?: (transaction: Transaction) => Promise<void>
  /** Breaks the replay off, with its reason. */
  readonly signal?: AbortSignal
}

/** What is being done now. */
export type ReplayStep = 'accounts' | 'indexes' | 'catching up'

const defaultPageRows = 2000

/** Where the log of a shard has been projected to. */
type Heads = Map<number, number>

/**
 * Rebuilds the read model from the hub, through the same projections, in a schema beside the one that is shown;
 * merges and reads go on meanwhile. Then it follows the log until it is level with it, and changes places in
 * one transaction. A replay that is broken off leaves what is shown as it was.
 *
 * @param db Needs three connections.
 * @throws when another replay runs, or when the log no longer holds what was merged since it began.
 */
export async function replay(db: Database, options: ReplayOptions): Promise<void> {
  const lock = await db.reserve()
  try {
    const [row] = await lock<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(hashtext('plaza replay')) as locked`
    if (!row?.locked) throw new Error('another replay is running')
    await dropReplaySchemas(db)
    await rebuildSchema(db, options).catch(async (error: unknown) => {
      // What cannot be cleaned up now is cleaned up by the next one.
      await dropReplaySchemas(db).catch(() => {})
      throw error
    })
    await dropReplaySchemas(db)
  } finally {
    // Without a connection there is no lock either.
    await lock`select pg_advisory_unlock_all()`.catch(() => {})
    lock.release()
  }
}

async function rebuildSchema(db: Database, options: ReplayOptions): Promise<void> {
  const { signal, onStep, onSwap, shards, pageRows = defaultPageRows } = options
  // With so few events left behind the head, the rest is done with the writers held.
  const catchUpEvents = Math.ceil(pageRows / 4)
  await copySchema(db)
  onStep?.('accounts')
  const heads = await projectStoredMessages(db, options)
  onStep?.('indexes')
  await buildIndexes(db, signal)
  onStep?.('catching up')
  while ((await db.begin((transaction) => follow(transaction, heads, catchUpEvents))) === catchUpEvents) {
    signal?.throwIfAborted()
  }
  await db.begin(async (transaction) => {
    await lockShards(
      transaction,
      Array.from({ length: shards }, (_, index) => index + 1),
    )
    while ((await follow(transaction, heads, pageRows)) === pageRows);
    // Last of all: from here on it is done.
    signal?.throwIfAborted()
    await swapSchemas(transaction)
    await onSwap?.(transaction)
  })
}

/** Projects everything that stands, from one snapshot, and returns where the log stood in it. */
async function projectStoredMessages(db: Database, options: ReplayOptions): Promise<Heads> {
  return await db.begin('isolation level repeatable read read only', async (snapshot) => {
    // A long look-back must not be ended by the limit for ordinary statements.
    await snapshot`set local idle_in_transaction_session_timeout = 0`
    const shards = await snapshot<{ shard: number; head: number }[]>`
      select s.shard, coalesce((select max(e.id) from hub.events e where e.shard = s.shard), s.first_retained_id - 1) as head
      from hub.shards s
    `
    await projectAccounts(db, snapshot, options)
    await projectMessages(db, snapshot, options)
    return new Map(shards.map(({ shard, head }) => [shard, head]))
  })
}

async function inReplaySchema(
  db: Database,
  work: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  await db.begin(async (transaction) => {
    await projectInto(transaction, 'social_replay')
    // What is half built is thrown away after a crash, so nobody has to wait for the disk.
    await transaction`set local synchronous_commit = off`
    await work(transaction)
  })
}

async function projectAccounts(
  db: Database,
  snapshot: Transaction,
  { signal, pageRows = defaultPageRows }: ReplayOptions,
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
    await inReplaySchema(db, async (transaction) => {
      await projectUsers(transaction, fids)
      await projectSignerApps(transaction, fids)
    })
  }
}

interface Page {
  fid: number
  set: number
  key: Buffer
  message: Buffer
}

async function projectMessages(
  db: Database,
  snapshot: Transaction,
  { signal, onProgress, pageRows = defaultPageRows }: ReplayOptions,
): Promise<void> {
  const [counted] = await snapshot<
    { total: number }[]
  >`select coalesce(sum(count), 0)::bigint as total from hub.set_counts`
  let last: Pick<Page, 'fid' | 'set' | 'key'> = { fid: 0, set: 0, key: Buffer.alloc(0) }
  for (let done = 0; ; ) {
    signal?.throwIfAborted()
    const rows = await snapshot<Page[]>`
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
    await inReplaySchema(db, (transaction) => projectChanges(transaction, { added, removed: [] }))
    done += rows.length
    onProgress?.(done, counted!.total)
  }
}

function isAdd({ data }: SignedMessage): boolean {
  return data.type !== MessageType.LINK_COMPACT_STATE
}

/** Projects the next events behind the heads, at most `limit` of each shard; returns the most it took of one. */
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
      `events of shard ${shard} after ${head} have been dropped meanwhile: keep them for longer`,
    )
  }
}

/**
 * Projects events as the log has them. It leaves out what a compact state displaced (docs/protocol.md §1.4), so the state's
 * rule is applied, in its place.
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
    await projectEventBatch(db, batch)
    batch = []
    await removeCompacted(db, body.message)
  }
  await projectEventBatch(db, batch)
}
