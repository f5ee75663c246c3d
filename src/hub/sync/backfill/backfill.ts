import type { Database } from '../../../platform/db/connection.js'
import { CHANNELS_FID } from '../../../protocol/shard.js'
import {
  type AfterItems,
  type MergeTally,
  ReorderBuffer,
  type ReorderBufferOptions,
  takeSettled,
} from '../../reorder-buffer.js'
import { type AccountPage, readAccount } from '../account/account-reader.js'
import { FailedAccounts, isAccountFault } from '../account/failed-accounts.js'
import { ByteBudget, prefetch } from '../account/prefetch.js'
import type { Upstreams } from '../client/upstreams.js'
import { queueKnownUsers, ReconcileQueue } from '../reconcile-queue.js'
import { type ChosenFids, markFetched, NOT_FETCHED, readUsersToFetch, type UserToFetch } from './fid-list.js'

export interface BackfillOptions {
  readonly db: Database
  readonly upstreams: Upstreams
  readonly hub: ReorderBufferOptions['hub']
  /** The upstreams belong to the same operator: their signatures are not checked again. */
  readonly trusted: boolean
  /** Only these of the queued users; all by default. */
  readonly fids?: ChosenFids
  /** Users read at the same time. */
  readonly concurrency: number
  /** Items merged together. */
  readonly batchSize?: number
  readonly signal: AbortSignal
  /** Called with the completed users of this run and the settled items. */
  readonly onProgress?: (fids: number, items: number) => void
}

/** The result of a run. */
export interface BackfillResult {
  readonly fids: number
  readonly tally: MergeTally
  /** Users that the upstream could not list: they are not marked, and compared later. */
  readonly failed: number
  /** False if it was stopped; the next run resumes. */
  readonly isComplete: boolean
}

/**
 * Fetches queued users. A user is marked once everything is merged, so a later run resumes with the others,
 * and with those that the upstream could not list. @throws UpstreamFailure if no upstream answers for ten minutes.
 */
export async function backfill(options: BackfillOptions): Promise<BackfillResult> {
  const { db, upstreams, hub, trusted, concurrency, signal } = options
  const reconcileQueue = new ReconcileQueue(db)
  /** Users that are read completely, at their end. */
  const readUsers: (AfterItems & { readonly user: UserToFetch })[] = []
  /** Users whose messages may have been merged before the storage that they need was lent, at the loan. */
  const borrowers: (AfterItems & { readonly fid: number })[] = []
  let fids = 0
  let itemCount = 0
  const settled = async (items: number) => {
    const finished = takeSettled(readUsers, items).map(({ user }) => user)
    await reconcileQueue.flush()
    const borrowerFids = takeSettled(borrowers, items).map(({ fid }) => fid)
    // A server that compares them before the loan is merged prunes them again.
    await queueKnownUsers(db, borrowerFids, 'was lent storage')
    await markFetched(db, finished)
    fids += finished.filter(({ fid }) => fid !== CHANNELS_FID).length
    options.onProgress?.(fids, items)
  }
  const reorderBuffer = new ReorderBuffer({
    hub,
    origin: 'store',
    trusted,
    signal,
    ...(options.batchSize === undefined ? {} : { batchSize: options.batchSize }),
    onSettled: settled,
    onRefused: (item, refusal) => reconcileQueue.addRefused(item, refusal),
  })
  const byteBudget = new ByteBudget()
  const failedAccounts = new FailedAccounts()
  const mergePage = async ({ items, unreadable, bytes }: AccountPage) => {
    for (const refusal of unreadable) reorderBuffer.countRefusal(refusal)
    for (const item of items) {
      await reorderBuffer.add(item)
      itemCount += 1
      if (item.kind === 'message' && item.message.data.lendStorageBody)
        borrowers.push({ fid: item.message.data.lendStorageBody.toFid, itemCount })
    }
    byteBudget.release(bytes)
  }
  const open = ({ fid }: UserToFetch) => readAccount(upstreams, fid, { signal, byteBudget })
  const accounts = prefetch(readUsersToFetch(db, signal, options.fids), open, { concurrency, byteBudget })
  let failure: unknown
  try {
    for await (const { source: user, pages } of accounts) {
      try {
        for await (const page of pages) await mergePage(page)
        failedAccounts.succeeded()
        readUsers.push({ user, itemCount })
      } catch (error) {
        if (signal.aborted) throw error
        if (isAccountFault(error)) reconcileQueue.add(user.fid, NOT_FETCHED)
        failedAccounts.failed(error)
      }
    }
  } catch (error) {
    // Items that were read still merge. Calls also fail when the signal aborts.
    if (!signal.aborted) failure = error
  }
  await reorderBuffer.drain()
  await settled(itemCount)
  if (failure !== undefined) throw failure
  return { fids, tally: reorderBuffer.tally, failed: failedAccounts.count, isComplete: !signal.aborted }
}
