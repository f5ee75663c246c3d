import { status } from '@grpc/grpc-js'
import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import type { IntakeOptions } from '../../intake.js'
import type { UpstreamClient } from '../client/upstream-client.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import { readShards, type Upstreams } from '../client/upstreams.js'
import { RefusalLog } from '../refusal-log.js'
import type { Selection } from '../subset/selection.js'
import type { UpstreamWatch } from '../upstream-watch.js'
import { ShardFollower } from './shard-follower.js'

export interface FollowOptions {
  /** Holds a connection for as long as this process follows. */
  readonly db: Database
  readonly upstreams: Upstreams
  readonly hub: IntakeOptions['hub']
  readonly selection: Selection
  readonly log: Log
  readonly watch: UpstreamWatch
  /** Unix milliseconds. */
  readonly clock: () => number
  /** Runs for as long as this process is the one that follows. */
  readonly beside?: (signal: AbortSignal) => Promise<void>
  /** After so long without an event it is asked whether there is none. */
  readonly idleMs?: number
}

/** Of all processes on a database one follows; another one takes over when it goes. */
const LOCK = 'plaza follow'
const LOCK_RETRY_MS = 2_000
/** How often it is looked whether the connection that holds the lock still lives. */
const LOCK_CHECK_MS = 5_000
/** Between attempts to reach an upstream, growing to the second number; again from the first once something came. */
const RETRY_MS = { first: 50, last: 5_000 }

/**
 * Follows an upstream until it is stopped, whatever breaks meanwhile.
 *
 * @returns stops it: what has come is merged first.
 */
export function startFollowing(options: FollowOptions): () => Promise<void> {
  const stopping = new AbortController()
  const running = followForEver(options, stopping.signal)
  return async () => {
    stopping.abort()
    await running
  }
}

async function followForEver(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { db, log } = options
  while (!signal.aborted) {
    try {
      await withLock(db, signal, async (held) => {
        await Promise.all([followWhileHeld(options, held), options.beside?.(held)])
      })
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, 'following has to begin anew')
    }
    await pause(LOCK_RETRY_MS, signal)
  }
}

/** Runs `work` while this process has the lock; its signal says when that is over. Does nothing if another has it. */
async function withLock(
  db: Database,
  signal: AbortSignal,
  work: (held: AbortSignal) => Promise<void>,
): Promise<void> {
  const session = await db.reserve()
  try {
    const [row] = await session<
      { locked: boolean }[]
    >`select pg_try_advisory_lock(hashtext(${LOCK})) as locked`
    if (!row?.locked) return
    const lost = new AbortController()
    const held = AbortSignal.any([signal, lost.signal])
    const working = work(held).finally(() => lost.abort())
    while (!held.aborted) {
      await pause(LOCK_CHECK_MS, held)
      if (!held.aborted) await session`select 1`.catch(() => lost.abort())
    }
    await working
  } finally {
    await session`select pg_advisory_unlock_all()`.catch(() => {})
    session.release()
  }
}

async function followWhileHeld(options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { upstreams, log, watch } = options
  const refusals = new RefusalLog(log)
  let delayMs = RETRY_MS.first
  let failures = 0
  let followed: UpstreamClient | null = null
  const told = new Set<string>()
  while (!signal.aborted) {
    const client = upstreams.current()
    const onBegun = (shards: number) => {
      if (followed !== client) log.info({ upstream: client.address, shards }, 'following the upstream')
      followed = client
    }
    const onProgress = () => {
      if (failures > 0) log.info({ upstream: client.address, failures }, 'following again')
      failures = 0
      told.clear()
      delayMs = RETRY_MS.first
    }
    try {
      await followOnce(client, options, { refusals, signal, onBegun, onProgress })
    } catch (error) {
      if (signal.aborted) return
      failures += 1
      const { code = undefined } = error instanceof UpstreamFailure ? error : {}
      watch.disconnected(code === undefined ? 'error' : (status[code] ?? `${code}`))
      // An upstream that is away says so once, and so does one that has no use for our key.
      const kind = error instanceof UpstreamFailure ? error.kind : `${error}`
      if (!told.has(kind))
        log.warn({ err: error, upstream: client.address }, 'the upstream cannot be followed now')
      told.add(kind)
      upstreams.failOver(client)
    }
    await pause(delayMs, signal)
    delayMs = Math.min(RETRY_MS.last, delayMs * 2)
  }
}

/** The other shards are cancelled because of the one that has failed. */
function isCause(error: unknown): boolean {
  return !(error instanceof UpstreamFailure && error.code === status.CANCELLED)
}

interface Attempt {
  readonly refusals: RefusalLog
  readonly signal: AbortSignal
  /** It has answered, and has so many shards. */
  readonly onBegun: (shards: number) => void
  readonly onProgress: () => void
}

/** All shards of one upstream together: what ends one ends the others, for the next upstream may have others. */
async function followOnce(
  client: UpstreamClient,
  options: FollowOptions,
  { refusals, signal, onBegun, onProgress }: Attempt,
): Promise<void> {
  const ended = new AbortController()
  const both = AbortSignal.any([signal, ended.signal])
  const shards = await readShards(client, both)
  onBegun(shards.length)
  const followers = shards.map((shard) =>
    new ShardFollower({ ...options, client, shard, refusals, signal: both, onProgress }).run().finally(() => {
      ended.abort()
    }),
  )
  const outcomes = await Promise.allSettled(followers)
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  if (failures.length > 0) throw failures.find(isCause) ?? failures[0]
}
