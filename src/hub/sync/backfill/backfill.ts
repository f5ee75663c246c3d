import type { Database } from '../../../platform/db/connection.js'
import { type MergeTally, ReorderBuffer, type ReorderBufferOptions } from '../../reorder-buffer.js'
import { readAccount } from '../account/account-reader.js'
import { ByteBudget, prefetch } from '../account/prefetch.js'
import type { Upstreams } from '../client/upstreams.js'
import { ReconcileQueue } from '../reconcile-queue.js'
import { claimFidsToFetch, markFetched } from './fid-list.js'

export interface BackfillOptions {
  readonly db: Database
  readonly upstreams: Upstreams
  /** The hub's door for what stands upstream. */
  readonly hub: ReorderBufferOptions['hub']
  /** How many users are read at the same time. */
  readonly concurrency: number
  /** Items that are merged together. */
  readonly batchSize?: number
  readonly signal: AbortSignal
  /** Told how many users of this run are done, and how many messages, events and names of it are merged or known. */
  readonly onProgress?: (fids: number, items: number) => void
}

/** What a run has done. */
export interface BackfillResult {
  readonly fids: number
  readonly tally: MergeTally
  /** False when it was stopped: the next run goes on where this one was. */
  readonly isComplete: boolean
}

/**
 * Fetches every user that is written down to be fetched. A user is done when all of it is merged, and that is written
 * down for some at once: whatever happens, a later run begins with those that are not.
 *
 * @throws UpstreamFailure when no upstream answers for minutes.
 */
export async function backfill(options: BackfillOptions): Promise<BackfillResult> {
  const { db, upstreams, hub, concurrency, signal } = options
  const reconcileQueue = new ReconcileQueue(db)
  /** Users that are handed over whole, and behind which item of the intake. */
  const readUsers: { readonly fid: number; readonly items: number }[] = []
  let fids = 0
  let itemCount = 0
  const settled = async (items: number) => {
    const firstUnfinished = readUsers.findIndex((user) => user.items > items)
    const finished = readUsers.splice(0, firstUnfinished < 0 ? readUsers.length : firstUnfinished)
    await reconcileQueue.flush()
    await markFetched(
      db,
      finished.map(({ fid }) => fid),
    )
    fids += finished.length
    options.onProgress?.(fids, items)
  }
  const reorderBuffer = new ReorderBuffer({
    hub,
    signal,
    ...(options.batchSize === undefined ? {} : { batchSize: options.batchSize }),
    onSettled: settled,
    onRefused: (item, refusal) => reconcileQueue.addRefused(item, refusal),
  })
  const byteBudget = new ByteBudget()
  const open = (fid: number) => readAccount(upstreams, fid, { signal, byteBudget })
  const accounts = prefetch(claimFidsToFetch(db, signal), open, { concurrency, byteBudget })
  try {
    for await (const { source: fid, pages } of accounts) {
      for await (const { items, unreadable, bytes } of pages) {
        for (const refusal of unreadable) reorderBuffer.countRefusal(refusal)
        for (const item of items) await reorderBuffer.add(item)
        itemCount += items.length
        byteBudget.release(bytes)
      }
      readUsers.push({ fid, items: itemCount })
    }
  } catch (error) {
    // A call that is given up because of the signal fails; what was handed over is merged all the same.
    if (!signal.aborted) throw error
  }
  await reorderBuffer.drain()
  await settled(itemCount)
  return { fids, tally: reorderBuffer.tally, isComplete: !signal.aborted }
}
