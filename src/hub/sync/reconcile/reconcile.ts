import { UpstreamFailure } from '../client/upstream-failure.js'
import type { AccountPart } from './compare.js'
import {
  type AccountReport,
  increment,
  type ReconcileOptions,
  reconcileAccount,
  total,
} from './reconcile-account.js'
import { markCompared, type ReconcileCandidate, readFids } from './reconcile-queries.js'

export interface ReconcileRunOptions extends ReconcileOptions {
  /** Null for all known users. */
  readonly fids: readonly number[] | null
  /** Users compared at the same time. */
  readonly concurrency: number
  readonly onProgress?: (users: number, missing: number) => void
}

/** The result of comparing many users. */
export interface ReconcileReport {
  users: number
  /** Users with missing items, by reconcile reason. */
  readonly reasons: Map<string, { users: number; missing: number }>
  /** Items missing here, by part of the account. */
  readonly missing: Map<AccountPart, number>
  repaired: number
  readonly refused: Map<string, number>
  /** Messages that only this hub stored. */
  readonly extra: Map<AccountPart, number>
  isComplete: boolean
}

/**
 * Compares users with the upstream, both ways, and merges missing items.
 *
 * @throws UpstreamFailure if no upstream answers for ten minutes.
 */
export async function reconcile(options: ReconcileRunOptions): Promise<ReconcileReport> {
  const { db, fids, concurrency, signal, onProgress } = options
  const report: ReconcileReport = {
    users: 0,
    reasons: new Map(),
    missing: new Map(),
    repaired: 0,
    refused: new Map(),
    extra: new Map(),
    isComplete: true,
  }
  const users = readFids(db, { fids, signal })
  let missing = 0
  async function work(): Promise<void> {
    for (let next = await users.next(); !next.done && !signal.aborted; next = await users.next()) {
      const user = next.value
      const accountReport = await reconcileAccount(options, user.fid)
      await markCompared(db, user)
      missing += addAccount(report, user, accountReport)
      report.users += 1
      onProgress?.(report.users, missing)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work)).catch((error: unknown) => {
    if (!signal.aborted || !(error instanceof UpstreamFailure)) throw error
  })
  report.isComplete = !signal.aborted
  return report
}

/** @returns the number of missing items of the user. */
function addAccount(report: ReconcileReport, user: ReconcileCandidate, accountReport: AccountReport): number {
  for (const [part, count] of accountReport.missing) increment(report.missing, part, count)
  for (const [part, count] of accountReport.extra) increment(report.extra, part, count)
  for (const [reason, count] of accountReport.refused) increment(report.refused, reason, count)
  report.repaired += accountReport.repaired
  const missing = total(accountReport.missing)
  if (missing > 0) {
    const reason = user.reconcileReason ?? (user.isFetched ? 'not known' : 'never fetched')
    const entry = report.reasons.get(reason) ?? { users: 0, missing: 0 }
    report.reasons.set(reason, { users: entry.users + 1, missing: entry.missing + missing })
  }
  return missing
}
