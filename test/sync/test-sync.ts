import { onTestFinished } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { openUpstreams, type Upstreams } from '../../src/hub/sync/client/upstreams.js'
import { startSync } from '../../src/hub/sync/follow/sync-loop.js'
import { reconcileLoop } from '../../src/hub/sync/reconcile/reconcile-loop.js'
import { allUsers, type Selection } from '../../src/hub/sync/subset/selected-users.js'
import type { UpstreamMetrics } from '../../src/hub/sync/upstream-metrics.js'
import type { Database } from '../../src/platform/db/connection.js'
import type { Log } from '../../src/platform/log/log.js'

/** Counts by name. */
export interface RecordedMetrics extends UpstreamMetrics {
  readonly items: Record<string, number>
  readonly disconnects: string[]
  readonly gone: number
  readonly found: number
}

/** Counts in memory. */
export function createRecordingMetrics(): RecordedMetrics {
  const recorded = {
    items: {} as Record<string, number>,
    disconnects: [] as string[],
    gone: 0,
    found: 0,
    count: (outcome: string, items: number) => {
      recorded.items[outcome] = (recorded.items[outcome] ?? 0) + items
    },
    caughtUp: () => {},
    heard: () => {},
    disconnected: (status: string) => {
      recorded.disconnects.push(status)
    },
    missed: (events: number, isGone: boolean) => {
      if (isGone) recorded.gone += events
      else recorded.found += events
    },
    compared: () => {},
  }
  return recorded
}

/** A log that records its lines. */
export function createRecordingLog(): Log & { readonly lines: { fields: object; message: string }[] } {
  const lines: { fields: object; message: string }[] = []
  const write = (fields: object, message: string) => {
    lines.push({ fields, message })
  }
  return { lines, debug: write, info: write, warn: write, error: write }
}

export interface TestSyncOptions {
  readonly addresses: readonly string[]
  readonly tls?: boolean
  readonly trusted?: boolean
  readonly headers?: ReadonlyMap<string, string>
  readonly selection?: Selection
  /** Unix milliseconds. With a clock that stands still, cursors move only when the upstream is idle. */
  readonly clock?: () => number
  /** Also reconciles queued users. */
  readonly reconcileWith?: Upstreams
}

/** Syncs with a hub until the test ends or it is stopped. */
export function startTestSync(db: Database, hub: Hub, options: TestSyncOptions) {
  const { addresses, trusted = false, headers = new Map(), selection = allUsers, reconcileWith } = options
  const upstreams = openUpstreams({ addresses, tls: options.tls ?? false, headers, trusted })
  const metrics = createRecordingMetrics()
  const log = createRecordingLog()
  const stopSync = startSync({
    db,
    upstreams,
    hub,
    trusted,
    selection,
    log,
    metrics,
    clock: options.clock ?? Date.now,
    idleMs: 300,
    background: async (signal) => {
      if (reconcileWith === undefined) return
      const settings = {
        db,
        upstreams: reconcileWith,
        hub,
        trusted,
        extra: 'keep',
        fidsPerMinute: 0,
      } as const
      await reconcileLoop({ ...settings, selection, signal, log, metrics, pollMs: 50 })
    },
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= stopSync().finally(() => upstreams.close())
    return stopped
  }
  onTestFinished(stop)
  return { metrics, log, stop }
}
