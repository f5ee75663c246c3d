import { eventToken, rangesBehind } from '../../log/event-token.js'
import { AFTER_ALL_EVENTS, readEvent, readEvents } from '../../log/read.js'
import type { HubGrpcApi, RequestOf, UnaryMethod } from './grpc-api.js'
import { method } from './method.js'
import { found, listReply } from './replies.js'
import { MAX_PAGE_BYTES, pageSizeOf, refusal, shardAsked } from './request-members.js'
import { sentEvent } from './sent-bytes.js'

/** The log, event by event and page by page. */
export const eventMethods: readonly UnaryMethod[] = [
  method('getEvent', async ({ id, shardIndex }, { db, config }) => {
    // Where there is one shard only, there is nothing to choose.
    const asked = shardIndex === 0 && config.shards === 1 ? 1 : shardIndex
    const event = await readEvent(db, shardAsked(asked, config.shards, 'shard_index'), id)
    return sentEvent(found(event?.event ?? null, 'Event not found'))
  }),
  method('getEvents', listEvents),
]

/** As over HTTP: shards are merged by id, and the page size holds for the whole page. */
async function listEvents(request: RequestOf<'getEvents'>, { db, config }: HubGrpcApi): Promise<Uint8Array> {
  const reverse = request.reverse ?? false
  const all = shardsAsked(request.shardIndex, config.shards).map((shard) => ({
    shard,
    from: request.startId,
    stop: request.stopId ?? AFTER_ALL_EVENTS,
  }))
  const ranges = request.pageToken?.length ? rangesBehind(request.pageToken, all, reverse) : all
  if (typeof ranges === 'string') throw refusal('page_token', ranges)
  const options = { limit: pageSizeOf(request), reverse, maxBytes: MAX_PAGE_BYTES }
  const page = await readEvents(db, ranges, options)
  return listReply(
    page.events.map(({ event }) => sentEvent(event)),
    eventToken(page, reverse),
  )
}

/** The shard that is asked for, or all of them. */
export function shardsAsked(shard: number | undefined, shards: number): number[] {
  if (shard === undefined) return Array.from({ length: shards }, (_, index) => index + 1)
  return [shardAsked(shard, shards, 'shard_index')]
}
