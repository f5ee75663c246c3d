import type { Database, Queryable } from '../../../platform/db/connection.js'
import { pause } from '../../../platform/process/pause.js'
import { HubEvent } from '../../../protocol/definitions.js'
import { FARCASTER_EPOCH_UNIX_SECONDS } from '../../../protocol/time.js'
import { blockOf, eventId } from '../../log/hub-event.js'
import { deleteAppliedOffsets } from '../../merge/applied-offsets.js'
import type { UpstreamClient, UpstreamEvent } from '../client/upstream-client.js'
import { readSent } from '../client/upstream-failure.js'
import { readShards } from '../client/upstreams.js'
import { queueAllUsers } from '../reconcile-queue.js'
import { requireNetwork } from './require-network.js'

/** The merged part of the log of one upstream shard. */
interface Cursor {
  /** All events with a lower id are merged. */
  readonly nextId: number
  /** All blocks up to this time are merged: Farcaster seconds; 0 if unknown. */
  readonly blockTime: number
}

/** Loads the cursor of an upstream shard; null if there is none. */
export async function loadCursor(db: Queryable, upstream: string, shard: number): Promise<Cursor | null> {
  const [row] = await db<Cursor[]>`
    select next_id as "nextId", block_time as "blockTime"
    from sync.cursors
    where upstream = ${upstream} and shard = ${shard}::smallint
  `
  return row ?? null
}

/** Blocks read again after a reconnect: a killed upstream may send out of order (hub-monorepo#2172). */
const REWIND_BLOCKS = 8

/** Returns the id to read from: the start of a block some blocks before the cursor. */
function rewindId(nextId: number): number {
  return eventId(Math.max(0, blockOf(nextId) - REWIND_BLOCKS), 0)
}

/** Returns the name of a shard's log in source offsets (`MergeItem.sourceOffset`). */
export function sourceLogName(upstream: string, shard: number): string {
  return `${upstream}/${shard}`
}

/**
 * Saves a cursor after everything before it is merged, and deletes applied offsets that are no longer needed.
 * If the process dies before, events are read again, and the hub knows which it has applied.
 */
export async function saveCursor(
  db: Queryable,
  upstream: string,
  shard: number,
  cursor: Cursor,
): Promise<void> {
  await saveCursors(db, upstream, new Map([[shard, cursor]]))
}

/** The time of the database in Farcaster seconds: an upstream with a clock ahead makes blocks in the future. */
const databaseTime = (db: Queryable) => db`
  extract(epoch from clock_timestamp())::bigint - ${FARCASTER_EPOCH_UNIX_SECONDS}::bigint
`

/**
 * Saves the cursors of several shards, all or none. A block from the future counts as one of now: at the next upstream, what came
 * before its time would never be read.
 */
export async function saveCursors(
  db: Queryable,
  upstream: string,
  cursors: ReadonlyMap<number, Cursor>,
): Promise<void> {
  const saved = [...cursors.values()]
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time)
    select ${upstream}, shard, next_id, least(block_time, ${databaseTime(db)})
    from unnest(
      ${[...cursors.keys()]}::smallint[],
      ${saved.map(({ nextId }) => nextId)}::bigint[],
      ${saved.map(({ blockTime }) => blockTime)}::bigint[]
    ) as saved (shard, next_id, block_time)
    on conflict (upstream, shard) do update set next_id = excluded.next_id, block_time = excluded.block_time
  `
  for (const [shard, { nextId }] of cursors) {
    await deleteAppliedOffsets(db, sourceLogName(upstream, shard), rewindId(nextId))
  }
}

/**
 * Excludes the cursors of shards that an upstream does not name from the time up to which it is merged. They stay where they are:
 * a node behind a balancer may have fewer shards than the others.
 */
export async function ignoreOtherCursors(
  db: Queryable,
  upstream: string,
  shards: readonly number[],
): Promise<void> {
  await db`
    update sync.cursors set block_time = 0
    where upstream = ${upstream} and shard <> all (${[...shards]}::smallint[]) and block_time <> 0`
}

/** Returns the shards with a cursor, up to a known time, that an upstream does not name. */
export async function readUnnamedShards(
  db: Queryable,
  upstream: string,
  shards: readonly number[],
): Promise<number[]> {
  const rows = await db<{ shard: number }[]>`
    select shard from sync.cursors
    where upstream = ${upstream} and shard <> all (${[...shards]}::smallint[]) and block_time <> 0
    order by shard`
  return rows.map(({ shard }) => shard)
}

/** Returns the time up to which any upstream is merged, or any other than one: Farcaster seconds, or null. */
export async function syncedUntil(db: Database, excludedUpstream = ''): Promise<number | null> {
  // The slowest shard of an upstream counts, and of several upstreams the furthest. A shard without a time does not count: its
  // log was empty when it started, or went back, and then all users are compared.
  const [row] = await db<{ time: number | null }[]>`
    select max(least(time, ${databaseTime(db)})) as time
    from (
      select min(block_time) as time
      from sync.cursors
      where block_time > 0 and upstream <> ${excludedUpstream}
      group by upstream
    ) followed
  `
  return row?.time ?? null
}

/** The start of a shard's sync, and a known gap before it. */
export interface StartCursor extends Cursor {
  /** Id to subscribe from, a little before the cursor. */
  readonly fromId: number
  /** Events that the upstream dropped before they were merged, or events of a log that no longer exists. */
  readonly gap?: { readonly from: number; readonly to: number }
  /** The upstream has a new log whose ids start again. */
  readonly isNewLog?: boolean
}

/** Reason to compare all users after a known gap. */
export const LOG_GAP = 'a gap in the log of the upstream'

/** First id of a log. */
const FIRST_ID = eventId(1, 0)
/** Rewind when the position is found by time, which has a resolution of a second. */
export const REWIND_SECONDS = 60

/** Time after which the end of a log that seems to be a new one is read again. */
const SECOND_LOOK_MS = 2_000

/**
 * Finds the start of a shard: its cursor, or the time up to which another upstream was followed if that is
 * later. Without either it starts at the end of the log: a backfill reads what is before.
 */
export async function findStartCursor(
  db: Database,
  client: UpstreamClient,
  shard: number,
  signal: AbortSignal,
): Promise<StartCursor> {
  const [oldest, newest, cursor, otherSyncedUntil] = await Promise.all([
    client.events({ shard, from: 0, limit: 1 }, signal),
    client.events({ shard, from: 0, limit: 1, reverse: true }, signal),
    loadCursor(db, client.address, shard),
    syncedUntil(db, client.address),
  ])
  const oldestId = oldest[0]?.id ?? 0
  if (cursor === null) {
    const time = await syncedUntil(db)
    if (time !== null) return await findStartByTime(client, shard, time - REWIND_SECONDS, signal)
    const endId = newest[0] ? eventId(blockOf(newest[0].id) + 1, 0) : 0
    return { nextId: endId, fromId: endId, blockTime: newest[0] ? timeOf(client, newest[0]) : 0 }
  }
  if (endsBefore(cursor, newest) && (await stillEndsBefore(cursor, client, shard, signal))) {
    // The node was set up again.
    const gap = { from: cursor.nextId, to: oldestId }
    return { ...cursor, nextId: oldestId, fromId: startOfBlock(oldestId), gap, isNewLog: true }
  }
  // Without a block the age of the cursor is unknown. A log that ends before what was read elsewhere, as of a node that catches up, is
  // read on: that passes over nothing.
  const startTime = (otherSyncedUntil ?? 0) - REWIND_SECONDS
  const isOutdated = cursor.blockTime > 0 && startTime > cursor.blockTime
  if (isOutdated && newest[0] && timeOf(client, newest[0]) >= startTime)
    return await findStartByTime(client, shard, startTime, signal)
  const fromId = Math.max(rewindId(cursor.nextId), startOfBlock(oldestId))
  if (oldestId <= Math.max(cursor.nextId, FIRST_ID)) return { ...cursor, fromId }
  return { ...cursor, nextId: oldestId, fromId, gap: { from: cursor.nextId, to: oldestId } }
}

/**
 * Whether a log with this newest event ends so long before the next id to read that it is another one. A node behind a balancer, or one that catches up, may be
 * some blocks behind the one that was followed, and the log of an idle shard may have lost all its events by age.
 */
export function isOfNewLog(newestId: number, nextId: number): boolean {
  return blockOf(newestId) + 1 < blockOf(nextId) - REWIND_BLOCKS
}

function endsBefore({ nextId }: Cursor, [newest]: readonly UpstreamEvent[]): boolean {
  return newest !== undefined && isOfNewLog(newest.id, nextId)
}

async function stillEndsBefore(
  cursor: Cursor,
  client: UpstreamClient,
  shard: number,
  signal: AbortSignal,
): Promise<boolean> {
  await pause(SECOND_LOOK_MS, signal)
  return endsBefore(cursor, await client.events({ shard, from: 0, limit: 1, reverse: true }, signal))
}

/** Finds the first event at or after a time by binary search: blocks are in the order of time. */
async function findStartByTime(
  client: UpstreamClient,
  shard: number,
  time: number,
  signal: AbortSignal,
): Promise<StartCursor> {
  const blockAt = async (number: number, reverse: boolean) => {
    const from = reverse ? 0 : eventId(number, 0)
    const [event] = await client.events({ shard, from, limit: 1, reverse }, signal)
    return event === undefined ? null : { id: event.id, time: timeOf(client, event) }
  }
  const last = await blockAt(0, true)
  const first = await blockAt(0, false)
  if (!last || !first) return { nextId: 0, fromId: 0, blockTime: time }
  let low = blockOf(first.id)
  let high = blockOf(last.id) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await blockAt(middle, false)
    if (found !== null && found.time < time) low = middle + 1
    else high = middle
  }
  const nextId = eventId(low, 0)
  if (low > blockOf(last.id)) {
    // It is behind, or one of the clocks is wrong: then newer blocks have older times, and were not read anywhere.
    const fromId = rewindId(nextId)
    return { nextId, fromId, blockTime: last.time, gap: { from: fromId, to: nextId } }
  }
  const startCursor = { nextId, fromId: nextId, blockTime: time }
  const isGapless = first.id <= FIRST_ID || first.time < time
  return isGapless ? startCursor : { ...startCursor, gap: { from: nextId, to: nextId } }
}

/** Returns the time of the block of an event in Farcaster seconds. @throws UpstreamFailure */
export function timeOf({ address }: UpstreamClient, { bytes }: UpstreamEvent): number {
  const event = readSent(address, () => HubEvent.decode(bytes))
  return event.blockConfirmedBody?.timestamp ?? event.timestamp
}

function startOfBlock(id: number): number {
  return eventId(blockOf(id), 0)
}

/**
 * Sets missing cursors as `findStartCursor` finds them, so that a later backfill and sync leave no gap. Queues all users if there
 * is one already: a sync that starts at these cursors does not see it. @throws UpstreamFailure also if it is of another network
 */
export async function initializeCursors(
  db: Database,
  client: UpstreamClient,
  { isSubset = false, signal }: { readonly isSubset?: boolean; readonly signal: AbortSignal },
): Promise<{ readonly hasGap: boolean }> {
  const starts = new Map<number, StartCursor>()
  const shards = await readShards(client, signal)
  await requireNetwork(db, client, shards, signal)
  for (const shard of shards) {
    if ((await loadCursor(db, client.address, shard)) !== null) continue
    starts.set(shard, await findStartCursor(db, client, shard, signal))
  }
  const hasGap = [...starts.values()].some(({ gap }) => gap !== undefined)
  if (hasGap) await queueAllUsers(db, { isSubset, reason: LOG_GAP })
  await saveCursors(db, client.address, starts)
  return { hasGap }
}
