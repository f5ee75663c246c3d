import { onTestFinished } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { encodeHubEvent, eventId, type HubEventBody } from '../../src/hub/log/hub-event.js'
import { buildBlocks, type ShardHead } from '../../src/hub/log/write.js'
import type { UpstreamClient, UpstreamEvent } from '../../src/hub/sync/client/upstream-client.js'
import { readEventHead } from '../../src/hub/sync/client/wire-page.js'
import { ShardSync } from '../../src/hub/sync/follow/shard-sync.js'
import { startShards } from '../../src/hub/sync/follow/start-shards.js'
import { UpstreamRefusalLog } from '../../src/hub/sync/reconcile-queue.js'
import { allUsers, type Selection } from '../../src/hub/sync/subset/selected-users.js'
import type { UpstreamMetrics } from '../../src/hub/sync/upstream-metrics.js'
import type { Database } from '../../src/platform/db/connection.js'
import { HubEventType } from '../../src/protocol/definitions.js'
import type { SignedMessage } from '../../src/protocol/message.js'
import { GetInfoResponse } from '../../src/protocol/proto/generated/request_response.js'
import { testNow } from '../network.js'
import { createRecordingLog, createRecordingMetrics } from './test-sync.js'

/** Events that merge messages: in a block, or without an id and a place in the log. */
export type Logged = {
  readonly messages: readonly SignedMessage[]
  readonly hasId?: boolean
  /** Number of further events without an id that the block counts. */
  readonly unlogged?: number
}

/** Returns the events of a log in order, with the confirmations of its blocks. */
export function logOf(entries: readonly Logged[]): UpstreamEvent[] {
  let head: ShardHead = { height: 0, blockHash: Buffer.alloc(32) }
  const events: UpstreamEvent[] = []
  const add = (bytes: Buffer) => events.push({ ...readEventHead(bytes), bytes })
  for (const { messages, hasId = true, unlogged = 0 } of entries) {
    const pending = messages.map((message) => {
      const body: HubEventBody = { type: HubEventType.MERGE_MESSAGE, message, deletedMessages: [] }
      return { fid: message.data.fid, body }
    })
    if (hasId) {
      const block = buildBlocks(1, head, pending, testNow)
      head = block.head
      for (const event of block.events) {
        const { body } = event
        const isHead = body.type === HubEventType.BLOCK_CONFIRMED
        const counted = isHead ? { ...body, totalEvents: body.totalEvents + unlogged } : body
        add(encodeHubEvent({ ...event, body: counted }))
      }
    } else {
      for (const { body } of pending) add(encodeHubEvent({ shard: 1, id: 0, timestamp: testNow, body }))
    }
  }
  return events
}

/** Returns the log of the only shard of a hub. */
export async function logOfHub(db: Database): Promise<UpstreamEvent[]> {
  const rows = await db<{ bytes: Buffer }[]>`select event as bytes from hub.events order by id`
  return rows.map(({ bytes }) => ({ ...readEventHead(bytes), bytes }))
}

/** What a hub without peers says of itself, with a number of shards. */
export function infoOf(numShards: number): Buffer {
  return Buffer.from(GetInfoResponse.encode(GetInfoResponse.fromPartial({ numShards })).finish())
}

/** Creates an upstream that streams batches, by default its log as one, and ends. Its pages have only what has an id. */
export function upstreamOf(
  log: readonly UpstreamEvent[],
  batches: readonly (readonly UpstreamEvent[])[] = [log],
): UpstreamClient {
  return {
    address: 'stub.example:3383',
    // The information of another Plaza, which has no peers.
    call: async () => infoOf(1),
    async *subscribe() {
      for (const events of batches) yield { events, hasMore: false }
    },
    async events({ from, stop = Number.MAX_SAFE_INTEGER, limit, reverse = false }) {
      const found = log.filter(({ id }) => id > 0 && id >= from && id < stop)
      return (reverse ? found.toReversed() : found).slice(0, limit)
    },
    close: () => {},
  }
}

/** Sets the cursor of a shard to the first event of its log. */
export async function startAtFirstEvent(db: Database, client: UpstreamClient, shard = 1): Promise<void> {
  await db`
    insert into sync.cursors (upstream, shard, next_id, block_time)
    values (${client.address}, ${shard}::smallint, ${eventId(1, 0)}::bigint, 0)
  `
}

/** Follows one shard from its cursor until its stream ends. */
export async function followShard(
  { db, hub }: { readonly db: Database; readonly hub: Hub },
  client: UpstreamClient,
  {
    shard = 1,
    shards = 1,
    metrics = createRecordingMetrics() as UpstreamMetrics,
    clock = Date.now,
    hasOtherUpstreams = false,
    selection = allUsers as Selection,
  } = {},
): Promise<void> {
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const log = createRecordingLog()
  const { signal } = stopping
  const starts = await startShards({ db, session: db, selection, log, metrics }, client, [shard], signal)
  await new ShardSync({
    session: db,
    db,
    client,
    shard,
    shards,
    start: starts.get(shard)!,
    hub,
    trusted: true,
    selection,
    log,
    refusals: new UpstreamRefusalLog(log),
    metrics,
    clock,
    hasOtherUpstreams,
    signal,
    stopSignal: signal,
    onProgress: () => {},
  }).run()
}
