import type { Database } from '../../platform/db/connection.js'
import { isRecent } from '../../platform/durations.js'
import { HubEvent } from '../../protocol/definitions.js'
import { MAX_BLOCK_EVENTS } from '../log/hub-event.js'

/** The contents of a shard. */
export interface ShardInfo {
  readonly shard: number
  readonly height: number
  readonly messages: number
  readonly fids: number
  /** Farcaster seconds of its last block; null without one in the log. */
  readonly blockTime: number | null
}

/** The contents of the hub. */
export interface HubInfo {
  readonly shards: readonly ShardInfo[]
  /** Bytes on disk of the whole database. */
  readonly sizeBytes: number
}

interface InfoRow extends Omit<ShardInfo, 'blockTime'> {
  sizeBytes: number
  confirmation: Buffer | null
}

/** Counts over all users: about a second for 1,000,000 of them. */
async function readHubInfo(db: Database): Promise<HubInfo> {
  const rows = await db<InfoRow[]>`
    select
      s.shard, s.height,
      coalesce(users.fids, 0) as fids,
      coalesce(users.messages, 0) as messages,
      pg_database_size(current_database()) as "sizeBytes",
      e.event as confirmation
    from hub.shards s
    left join (
      select f.shard, count(*) as fids, sum(held.messages)::bigint as messages
      from hub.fids f
      left join (select fid, sum(count) as messages from hub.set_counts group by fid) held using (fid)
      group by f.shard
    ) users using (shard)
    left join hub.events e on e.shard = s.shard and e.id = s.height * ${MAX_BLOCK_EVENTS}::bigint
    order by s.shard
  `
  return {
    sizeBytes: rows[0]?.sizeBytes ?? 0,
    shards: rows.map(({ shard, height, fids, messages, confirmation }) => ({
      shard,
      height,
      fids,
      messages,
      blockTime: confirmation && (HubEvent.decode(confirmation).blockConfirmedBody?.timestamp ?? null),
    })),
  }
}

/** Counting takes a while, so the counts are shared for this long, and so is a failure: each try reads as much. */
const CACHE_TTL_MS = 10_000

/** Creates a reader of the hub's contents that counts one at a time, and begins again ten seconds after the end of the last. */
export function cacheHubInfo(db: Database, clock: () => number): () => Promise<HubInfo> {
  let cached: { readonly info: Promise<HubInfo>; endedMs: number | null } | null = null
  return () => {
    if (cached && (cached.endedMs === null || isRecent(cached.endedMs, clock(), CACHE_TTL_MS)))
      return cached.info
    const entry = { info: readHubInfo(db), endedMs: null as number | null }
    cached = entry
    const end = () => {
      entry.endedMs = clock()
    }
    entry.info.then(end, end)
    return entry.info
  }
}
