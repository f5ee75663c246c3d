import { onTestFinished } from 'vitest'
import type { Hub } from '../../src/hub/hub.js'
import { openUpstreams, type Upstreams } from '../../src/hub/sync/client/upstreams.js'
import { startFollowing } from '../../src/hub/sync/follow/follow.js'
import { reconcileForEver } from '../../src/hub/sync/reconcile/reconcile-loop.js'
import { everybody, type Selection } from '../../src/hub/sync/subset/selection.js'
import { upstreamDoor } from '../../src/hub/sync/upstream-door.js'
import type { UpstreamWatch } from '../../src/hub/sync/upstream-watch.js'
import type { Database } from '../../src/platform/db/connection.js'
import type { Log } from '../../src/platform/log/log.js'

/** What was counted, by name. */
export interface Counts extends UpstreamWatch {
  readonly items: Record<string, number>
  readonly disconnects: string[]
  readonly gone: number
  readonly found: number
}

/** Counts in memory. */
function countingWatch(): Counts {
  const counts = {
    items: {} as Record<string, number>,
    disconnects: [] as string[],
    gone: 0,
    found: 0,
    count: (outcome: string, items: number) => {
      counts.items[outcome] = (counts.items[outcome] ?? 0) + items
    },
    reached: () => {},
    disconnected: (status: string) => {
      counts.disconnects.push(status)
    },
    missed: (events: number, isGone: boolean) => {
      if (isGone) counts.gone += events
      else counts.found += events
    },
    compared: () => {},
  }
  return counts
}

/** A log that is kept. */
export function keptLog(): Log & { readonly lines: { fields: object; message: string }[] } {
  const lines: { fields: object; message: string }[] = []
  const write = (fields: object, message: string) => {
    lines.push({ fields, message })
  }
  return { lines, debug: write, info: write, warn: write, error: write }
}

export interface FollowerOptions {
  readonly addresses: readonly string[]
  readonly tls?: boolean
  readonly trusted?: boolean
  readonly headers?: ReadonlyMap<string, string>
  readonly selection?: Selection
  /** Unix milliseconds. One that stands still has cursors move only when the upstream rests. */
  readonly clock?: () => number
  /** Compares whoever is suspected, too. */
  readonly compareWith?: Upstreams
}

/** Follows with a hub until the test is over, or it is stopped. */
export function follow(db: Database, hub: Hub, options: FollowerOptions) {
  const { addresses, trusted = false, headers = new Map(), selection = everybody, compareWith } = options
  const upstreams = openUpstreams({ addresses, tls: options.tls ?? false, headers, trusted })
  const watch = countingWatch()
  const log = keptLog()
  const end = startFollowing({
    db,
    upstreams,
    hub: upstreamDoor(hub, { trusted, admitted: false }),
    selection,
    log,
    watch,
    clock: options.clock ?? Date.now,
    idleMs: 300,
    beside: async (signal) => {
      if (compareWith === undefined) return
      const settings = { db, upstreams: compareWith, hub, trusted, extra: 'keep', fidsPerMinute: 0 } as const
      const isSubset = selection !== everybody
      await reconcileForEver({ ...settings, isSubset, signal, log, watch, pollMs: 50 })
    },
  })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= end().finally(() => upstreams.close())
    return stopped
  }
  onTestFinished(stop)
  return { watch, log, stop }
}
