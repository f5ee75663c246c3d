import type { Database } from '../../../platform/db/connection.js'
import { unixMsFromFarcasterSeconds } from '../../../protocol/time.js'

/** How far this server is behind its upstream. */
export interface SyncProgress {
  readonly shards: readonly SyncedShard[]
  /** Users of the backfill. */
  readonly backfill: {
    readonly fetched: number
    readonly remaining: number
    /** Null when nothing was fetched in the last minutes. */
    readonly secondsLeft: number | null
  }
  /** Estimate until the end of the upstream's log; 0 at its end, null when it is not known or not getting closer. */
  readonly secondsLeft: number | null
}

interface SyncedShard {
  readonly upstream: string
  readonly shard: number
  /** Age of the newest merged block. */
  readonly behindSeconds: number
}

/** Samples of the newest block that is merged everywhere. */
interface SyncSample {
  readonly atMs: number
  readonly behindSeconds: number
}

const MAX_SAMPLES = 20
/** A shard that follows the network closely is this far behind at most. */
export const AT_END_SECONDS = 30
/** The longest period whose pace gives the time that is left. */
const PACE_MINUTES = 10

/** Reads the progress of the sync, and remembers some of it: the time that is left follows from the pace. */
export class SyncWatch {
  #samples: readonly SyncSample[] = []

  /** @param upstreams The configured ones: cursors of earlier ones stay where they were. Empty: those of all count. */
  constructor(
    private readonly db: Database,
    private readonly clock: () => number,
    private readonly upstreams: readonly string[] = [],
  ) {}

  /** Null when nothing was ever merged from an upstream. */
  async read(): Promise<SyncProgress | null> {
    const { db, upstreams } = this
    const [cursors, [users]] = await Promise.all([
      db<{ upstream: string; shard: number; block_time: number }[]>`
        select upstream, shard, block_time
        from sync.cursors
        where ${upstreams.length === 0} or upstream = any(${[...upstreams]}::text[])
        order by upstream, shard
      `,
      db<{ fetched: number; remaining: number; lately: number; seconds: number | null }[]>`
        select
          count(backfilled_at) as fetched,
          count(*) filter (where backfilled_at is null) as remaining,
          count(*) filter (where backfilled_at > now() - ${PACE_MINUTES} * interval '1 minute') as lately,
          extract(epoch from now() - min(backfilled_at) filter (
            where backfilled_at > now() - ${PACE_MINUTES} * interval '1 minute'
          ))::double precision as seconds
        from sync.fids
      `,
    ])
    const { fetched, remaining, lately, seconds } = users!
    if (cursors.length === 0 && remaining === 0) return null
    const nowMs = this.clock()
    const shards = cursors
      .filter(({ block_time }) => block_time > 0)
      .map(({ upstream, shard, block_time: time }) => ({
        upstream,
        shard,
        behindSeconds: Math.max(0, Math.round((nowMs - unixMsFromFarcasterSeconds(time)) / 1000)),
      }))
    return {
      shards,
      backfill: {
        fetched,
        remaining,
        secondsLeft: seconds === null ? null : Math.round((remaining / lately) * seconds),
      },
      secondsLeft: this.#secondsLeft(shards, nowMs),
    }
  }

  #secondsLeft(shards: readonly SyncedShard[], atMs: number): number | null {
    const behindSeconds = behindOf(shards)
    if (behindSeconds === null) return null
    const recent = this.#samples.filter((sample) => sample.atMs > atMs - PACE_MINUTES * 60_000)
    this.#samples = [...recent, { atMs, behindSeconds }].slice(-MAX_SAMPLES)
    if (behindSeconds <= AT_END_SECONDS) return 0
    const first = this.#samples[0]!
    const closer = first.behindSeconds - behindSeconds
    return closer > 0 ? Math.round((behindSeconds / closer) * ((atMs - first.atMs) / 1000)) : null
  }
}

/** Reads which of the configured upstreams were never reached. Where one was, the others wait for its failure. */
export async function readUnreachedUpstreams(db: Database, upstreams: readonly string[]): Promise<string[]> {
  const [found] = await db<[{ is_reached: boolean }]>`
    select exists (select from sync.cursors where upstream = any(${[...upstreams]}::text[])) as is_reached`
  return found.is_reached ? [] : [...upstreams]
}

/** The slowest shard of an upstream counts, and of several upstreams the furthest, as where the sync continues. */
function behindOf(shards: readonly SyncedShard[]): number | null {
  const byUpstream = new Map<string, number>()
  for (const { upstream, behindSeconds } of shards) {
    byUpstream.set(upstream, Math.max(byUpstream.get(upstream) ?? 0, behindSeconds))
  }
  return byUpstream.size === 0 ? null : Math.min(...byUpstream.values())
}
