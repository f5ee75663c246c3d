import type { Database } from '../../../platform/db/connection.js'
import type { Log } from '../../../platform/log/log.js'
import { pause } from '../../../platform/process/pause.js'
import { deleteAppliedOffsets } from '../../merge/applied-offsets.js'
import { queueAllUsers } from '../reconcile-queue.js'
import type { Selection } from '../subset/selected-users.js'
import { loadCursor, saveCursor, sourceLogName } from './cursors.js'

/** A followed log and how to continue in it. */
export interface RewindOptions {
  readonly db: Database
  /** Address of the upstream. */
  readonly upstream: string
  readonly shard: number
  readonly selection: Selection
  /** After it is aborted, a failed attempt is not repeated. */
  readonly signal: AbortSignal
  readonly log: Log
}

/** Wait after a failed attempt. */
const RETRY_MS = 500

/**
 * Continues at the fork when the log of the upstream went back: its ids have other events now, and all users of the sync are
 * compared. A failed attempt is repeated: the upstream says it once, and a stream that is opened later finds nothing wrong.
 */
export async function rewindToFork(options: RewindOptions, nextId: number): Promise<void> {
  const { upstream, shard, log } = options
  log.error({ upstream, shard, nextId }, 'the log of the upstream went back')
  await untilDone(options, () => saveFork(options, nextId))
}

/** Forgets the offsets of the old log that batches in flight have saved since: the new log has other events there. */
export async function forgetOldLog(options: RewindOptions): Promise<void> {
  const { db, upstream, shard } = options
  await untilDone(options, () =>
    deleteAppliedOffsets(db, sourceLogName(upstream, shard), Number.MAX_SAFE_INTEGER),
  )
}

async function untilDone(
  { upstream, shard, signal, log }: RewindOptions,
  attempt: () => Promise<void>,
): Promise<void> {
  for (let failures = 0; ; failures += 1) {
    try {
      await attempt()
      return
    } catch (error) {
      if (signal.aborted) throw error
      if (failures === 0) log.warn({ err: error, upstream, shard }, 'cannot continue at the fork yet')
      await pause(RETRY_MS, signal)
    }
  }
}

/**
 * Moves the cursor only after the rest, without which events of the new log would be passed over; and never forward: what could not be
 * merged before the fork may be of users that are not known.
 */
async function saveFork({ db, upstream, shard, selection }: RewindOptions, nextId: number): Promise<void> {
  const { isSubset } = selection
  await queueAllUsers(db, { isSubset, reason: 'the log of the upstream went back' })
  await db.begin(async (transaction) => {
    await deleteAppliedOffsets(transaction, sourceLogName(upstream, shard), Number.MAX_SAFE_INTEGER)
    const merged = (await loadCursor(transaction, upstream, shard))?.nextId ?? nextId
    await saveCursor(transaction, upstream, shard, { nextId: Math.min(nextId, merged), blockTime: 0 })
  })
}
