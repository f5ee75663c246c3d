import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import type { UpstreamWatch } from '../upstream-watch.js'
import { adoptFids, type ComparedFid, markCompared, oldestComparedFids, suspectFids } from './fid-round.js'
import { type ReconcileOptions, reconcileAccount } from './reconcile-account.js'

export interface ReconcileLoopOptions extends ReconcileOptions {
  /** How many users of whom nothing is suspected are compared in a minute; 0 compares none of them. */
  readonly fidsPerMinute: number
  readonly log: Log
  readonly watch: UpstreamWatch
  /** Whether a part of the network is followed: then nobody else is compared. */
  readonly isSubset: boolean
  /** How often it is looked whether something is suspected. */
  readonly pollMs?: number
}

const POLL_MS = 1_000
const MINUTE_MS = 60_000
/** Users of whom something is suspected, compared at the same time. */
const SUSPECTS_AT_ONCE = 4
/** After a failure. */
const RETRY_MS = 5_000

/**
 * Compares with the upstream for as long as this process follows: whoever is suspected at once, all others slowly, one
 * after the other and then again.
 */
export async function reconcileForEver(options: ReconcileLoopOptions): Promise<void> {
  const { db, signal, fidsPerMinute, log, pollMs = POLL_MS } = options
  let budget = 0
  const told = new Set<string>()
  while (!signal.aborted) {
    try {
      const suspects = await suspectFids(db, SUSPECTS_AT_ONCE)
      await Promise.all(suspects.map((user) => compare(options, user)))
      if (suspects.length > 0) {
        told.clear()
        continue
      }
      budget = Math.min(1, budget + (fidsPerMinute * pollMs) / MINUTE_MS)
      if (budget >= 1) {
        const count = Math.max(1, Math.floor((fidsPerMinute * pollMs) / MINUTE_MS))
        const oldest = await oldestComparedFids(db, count)
        if (oldest.length === 0 && !options.isSubset) await adoptFids(db)
        for (const user of oldest) await compare(options, user)
        budget = 0
        told.clear()
      }
      await pause(pollMs, signal)
    } catch (error) {
      if (signal.aborted) return
      const kind = error instanceof UpstreamFailure ? error.kind : `${error}`
      if (!told.has(kind)) log.warn({ err: error }, 'comparing with the upstream failed')
      told.add(kind)
      await pause(RETRY_MS, signal)
    }
  }
}

async function compare(options: ReconcileLoopOptions, user: ComparedFid): Promise<void> {
  const { missing, repaired, refused, extra } = await reconcileAccount(options, user.fid)
  await markCompared(options.db, user)
  const counts = { missing: sum(missing), extra: sum(extra) }
  options.watch.compared(counts)
  if (counts.missing === 0 && counts.extra === 0) return
  const { fid, suspect } = user
  const found = { fid, suspect, ...counts, repaired, refused: Object.fromEntries(refused) }
  options.log.info(found, 'a user differed from the upstream')
}

function sum(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0)
}
