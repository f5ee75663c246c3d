import { createHash } from 'node:crypto'
import type { Transaction } from '../../platform/db/connection.js'
import { HubEventType } from '../../protocol/definitions.js'
import {
  encodeEventBody,
  encodeHubEvent,
  eventId,
  type HubEventBody,
  MAX_BLOCK_EVENTS,
  type SequencedEvent,
} from './hub-event.js'

/** A logged event and the fid that it concerns. */
export interface LoggedEvent extends SequencedEvent {
  /** Null for block confirmations. */
  readonly fid: number | null
  /** Hash of the block before, of a confirmation. */
  readonly parentHash?: Buffer
}

/** The end of a shard's log. */
export interface ShardHead {
  readonly height: number
  readonly blockHash: Buffer
}

/** Notification channel of new events; the payload is `<shard>:<last id>`. */
export const eventChannel = 'hub_events'

/**
 * Puts events into blocks after the head, at `now` (Farcaster seconds). Most batches are one block. Each starts
 * with BLOCK_CONFIRMED (sequence 0).
 */
export function buildBlocks(
  shard: number,
  head: ShardHead,
  pending: readonly { readonly fid: number | null; readonly body: HubEventBody }[],
  now: number,
): { events: LoggedEvent[]; head: ShardHead } {
  const events: LoggedEvent[] = []
  let { height, blockHash } = head
  for (let start = 0; start < pending.length; start += MAX_BLOCK_EVENTS - 1) {
    const blockEvents = pending.slice(start, start + MAX_BLOCK_EVENTS - 1)
    height += 1
    const parentHash = blockHash
    blockHash = hashBlock(blockHash, shard, height, blockEvents)
    const confirmation = blockConfirmation(shard, height, blockHash, blockEvents, now)
    events.push({ shard, id: eventId(height, 0), fid: null, timestamp: now, body: confirmation, parentHash })
    for (const [index, { fid, body }] of blockEvents.entries()) {
      events.push({ shard, id: eventId(height, index + 1), fid, timestamp: now, body })
    }
  }
  return { events, head: { height, blockHash } }
}

type BlockEvents = readonly { readonly body: HubEventBody }[]

function blockConfirmation(
  shard: number,
  height: number,
  blockHash: Buffer,
  blockEvents: BlockEvents,
  now: number,
): HubEventBody {
  const eventCountsByType: Record<number, number> = { [HubEventType.BLOCK_CONFIRMED]: 1 }
  for (const { body } of blockEvents) eventCountsByType[body.type] = (eventCountsByType[body.type] ?? 0) + 1
  return {
    type: HubEventType.BLOCK_CONFIRMED,
    blockNumber: height,
    shardIndex: shard,
    timestamp: now,
    blockHash,
    totalEvents: blockEvents.length + 1,
    eventCountsByType,
  }
}

/** Hashes a block over its parent, position and events, as docs/protocol.md §1.3 says. */
function hashBlock(parent: Buffer, shard: number, height: number, blockEvents: BlockEvents): Buffer {
  const position = Buffer.alloc(12)
  position.writeUInt32BE(shard)
  position.writeBigUInt64BE(BigInt(height), 4)
  const parts: Uint8Array[] = [parent, position]
  for (const { body } of blockEvents) {
    parts.push(Buffer.from([body.type]))
    // Blocks of other contents must not have the same hash: it tells the branches of a log that went back apart.
    parts.push('message' in body ? body.message.hash : encodeEventBody(body))
  }
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

/** Appends events to the log, moves the head of the shard and notifies readers on commit. */
export async function appendEvents(
  db: Transaction,
  shard: number,
  events: readonly LoggedEvent[],
  head: ShardHead,
  day: string,
): Promise<void> {
  const last = events.at(-1)
  if (!last) return
  // One statement for the three of them: each costs both sides about 0.1 ms, whatever it does.
  await db`
    with logged as (
      insert into hub.events (day, shard, id, type, fid, former_fid, event)
      select ${day}::date, ${shard}::smallint, id, type, fid, former_fid, event
      from unnest(
        ${events.map((event) => event.id)}::bigint[],
        ${events.map((event) => event.body.type)}::smallint[],
        ${events.map((event) => event.fid)}::bigint[],
        ${events.map(formerFidOf)}::bigint[],
        ${db.types.byteas(events.map(encodeHubEvent))}::bytea[]
      ) as logged (id, type, fid, former_fid, event)
    ),
    moved as (
      update hub.shards
      set height = ${head.height}, block_hash = ${head.blockHash}, last_day = ${day}::date
      where shard = ${shard}
    )
    select pg_notify(${eventChannel}, ${`${shard}:${last.id}`})
  `
}

/** Returns the user who held the name or the slot of a channel that an event gives to another one; null if nobody did. */
function formerFidOf({ fid, body }: LoggedEvent): number | null {
  const held =
    body.type === HubEventType.MERGE_MESSAGE
      ? body.deletedMessages[0]?.data
      : body.type === HubEventType.MERGE_USERNAME_PROOF
        ? body.deletedUsernameProof
        : undefined
  return !held?.fid || held.fid === fid ? null : held.fid
}
