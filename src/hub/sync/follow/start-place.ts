import { HubEvent } from '@farcaster/core'
import type { Database } from '../../../platform/db/connection.js'
import { blockOf, eventId } from '../../log/hub-event.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { readShards } from '../client/upstreams.js'
import { type Cursor, followedUntil, loadCursor, rewoundFrom, saveCursor } from './cursors.js'

/** Where following a shard begins, and what is known to be missing before. */
export interface StartPlace extends Cursor {
  /** The id to subscribe from: a little before the cursor. */
  readonly fromId: number
  /** Events that the upstream has dropped before they were merged, or of a log that is gone. */
  readonly gap?: { readonly from: number; readonly to: number }
  /** The log is not the one that was read before: its ids begin anew. */
  readonly isNewLog?: boolean
}

/** Of the first block of a log: no event has a lower id. */
const FIRST_ID = eventId(1, 0)
/** How far it is gone back when the place is found by time, whose unit is a second. */
const REWOUND_SECONDS = 60

/**
 * Finds where to go on in the log of a shard: at its cursor, or at the moment up to which another upstream was followed
 * if that is later; at first, at its end, for what is before is the backfill's.
 */
export async function findStart(
  db: Database,
  client: UpstreamClient,
  shard: number,
  signal: AbortSignal,
): Promise<StartPlace> {
  const [oldest, newest, cursor, elsewhere] = await Promise.all([
    client.events({ shard, from: 0, limit: 1 }, signal),
    client.events({ shard, from: 0, limit: 1, reverse: true }, signal),
    loadCursor(db, client.address, shard),
    followedUntil(db, client.address),
  ])
  const oldestId = oldest[0]?.id ?? 0
  const endId = newest[0] ? eventId(blockOf(newest[0].id) + 1, 0) : 0
  if (cursor === null) {
    const time = await followedUntil(db)
    if (time !== null) return await startByTime(client, shard, time - REWOUND_SECONDS, signal)
    return { nextId: endId, fromId: endId, blockTime: 0 }
  }
  if (cursor.nextId > endId) {
    // A log that ends before what was read of it is another log: the node was set up anew.
    const gap = { from: cursor.nextId, to: oldestId }
    return { nextId: oldestId, fromId: startOfBlock(oldestId), blockTime: 0, gap, isNewLog: true }
  }
  // Of a shard that has shown no block nobody knows how old the cursor is.
  const isPassed = cursor.blockTime > 0 && (elsewhere ?? 0) - REWOUND_SECONDS > cursor.blockTime
  if (isPassed) return await startByTime(client, shard, elsewhere! - REWOUND_SECONDS, signal)
  const fromId = Math.max(rewoundFrom(cursor.nextId), startOfBlock(oldestId))
  if (oldestId <= Math.max(cursor.nextId, FIRST_ID)) return { ...cursor, fromId }
  return { nextId: oldestId, blockTime: 0, fromId, gap: { from: cursor.nextId, to: oldestId } }
}

/** At the first event of a shard's log that is not older than a moment, by halving: blocks are in the order of time. */
async function startByTime(
  client: UpstreamClient,
  shard: number,
  time: number,
  signal: AbortSignal,
): Promise<StartPlace> {
  const blockAt = async (number: number, reverse: boolean) => {
    const from = reverse ? 0 : eventId(number, 0)
    const [event] = await client.events({ shard, from, limit: 1, reverse }, signal)
    return event === undefined ? null : HubEvent.decode(event.bytes)
  }
  const last = await blockAt(0, true)
  const first = await blockAt(0, false)
  if (!last || !first) return { nextId: 0, fromId: 0, blockTime: 0 }
  let low = blockOf(first.id)
  let high = blockOf(last.id) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const found = await blockAt(middle, false)
    if (madeAt(found) < time) low = middle + 1
    else high = middle
  }
  const nextId = eventId(low, 0)
  const place = { nextId, fromId: nextId, blockTime: 0 }
  const isWhole = first.id <= FIRST_ID || madeAt(first) < time
  return isWhole ? place : { ...place, gap: { from: nextId, to: nextId } }
}

/** In Farcaster seconds; behind everything when there is no event. */
function madeAt(event: HubEvent | null): number {
  return event?.blockConfirmedBody?.timestamp ?? event?.timestamp ?? Number.POSITIVE_INFINITY
}

function startOfBlock(id: number): number {
  return eventId(blockOf(id), 0)
}

/**
 * Has following begin where the log of the upstream ends now, unless it has begun before: what a backfill reads from
 * now on and what is followed then leave nothing out between them.
 *
 * @throws UpstreamFailure
 */
export async function beginFollowing(
  db: Database,
  client: UpstreamClient,
  signal: AbortSignal,
): Promise<void> {
  for (const shard of await readShards(client, signal)) {
    if ((await loadCursor(db, client.address, shard)) !== null) continue
    await saveCursor(db, client.address, shard, await findStart(db, client, shard, signal))
  }
}
