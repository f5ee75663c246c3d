import { eventToken, rangesAfter } from '../../log/event-token.js'
import { AFTER_ALL_EVENTS, readEvent, readEvents } from '../../log/read.js'
import type { HubGrpcApi, RequestOf, UnaryMethod } from './grpc-api.js'
import { method } from './method.js'
import { listReply, requireFound } from './replies.js'
import { MAX_PAGE_BYTES, pageSizeOf, refusal, requireShard } from './request-fields.js'
import { toWireEvent } from './wire-bytes.js'

/** The log, event by event and page by page. */
export const eventMethods: readonly UnaryMethod[] = [
  method('getEvent', async ({ id, shardIndex }, { db, config }) => {
    // Where there is one shard only, there is nothing to choose.
    const requestedShard = shardIndex === 0 && config.shards === 1 ? 1 : shardIndex
    const event = await readEvent(db, requireShard(requestedShard, config.shards, 'shard_index'), id)
    return toWireEvent(requireFound(event?.event ?? null, 'Event not found'))
  }),
  method('getEvents', listEvents),
]

/** As over HTTP: shards are merged by id, and the page size holds for the whole page. */
async function listEvents(request: RequestOf<'getEvents'>, { db, config }: HubGrpcApi): Promise<Uint8Array> {
  const reverse = request.reverse ?? false
  const allRanges = requestedShards(request.shardIndex, config.shards).map((shard) => ({
    shard,
    from: request.startId,
    stop: request.stopId ?? AFTER_ALL_EVENTS,
  }))
  const ranges = request.pageToken?.length ? rangesAfter(request.pageToken, allRanges, reverse) : allRanges
  if (typeof ranges === 'string') throw refusal('page_token', ranges)
  const options = { limit: pageSizeOf(request), reverse, maxBytes: MAX_PAGE_BYTES }
  const page = await readEvents(db, ranges, options)
  return listReply(
    page.events.map(({ event }) => toWireEvent(event)),
    eventToken(page, reverse),
  )
}

/** The shard that is asked for, or all of them. */
export function requestedShards(shard: number | undefined, shards: number): number[] {
  if (shard === undefined) return Array.from({ length: shards }, (_, index) => index + 1)
  return [requireShard(shard, shards, 'shard_index')]
}
