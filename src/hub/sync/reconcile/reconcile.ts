import type { Database } from '../../../platform/db/connection.js'
import type { SignedMessage } from '../../../protocol/message.js'
import type { Hub } from '../../hub.js'
import { ReorderBuffer } from '../../reorder-buffer.js'
import { submitUntilAvailable } from '../../submit-until-available.js'
import { FailedAccounts } from '../account/failed-accounts.js'
import { UpstreamFailure } from '../client/upstream-failure.js'
import { onlyCurrent, type Upstreams } from '../client/upstreams.js'
import type { Selection } from '../subset/selected-users.js'
import { type AccountPart, compareAccount, messageSetName, readMessages } from './compare.js'
import { markCompared, queueLast, type ReconcileCandidate, readFids } from './reconcile-queries.js'
import { requireCurrent } from './require-current.js'
import { addSent, createSentTally, type SentTally, sendExtra } from './send-extra.js'

/** A transaction of the hub has no more. */
const MAX_REMOVALS_AT_ONCE = 1000

/** The treatment of messages that only this hub stores. */
export type ExtraPolicy =
  /** Count them: they may be too new for the upstream. */
  | 'keep'
  /** Prune them, as the upstream did. */
  | 'remove'
  /** Submit them to the upstream. */
  | 'send'

export interface ReconcileOptions {
  readonly db: Database
  readonly upstreams: Upstreams
  readonly hub: Hub
  readonly trusted: boolean
  readonly extra: ExtraPolicy
  /** Learns of follows and replies that were missing. */
  readonly selection?: Selection | undefined
  readonly signal: AbortSignal
}

/** The result of reconciling a user. */
interface AccountReport {
  /** Items missing here, by part of the account. */
  readonly missing: ReadonlyMap<AccountPart, number>
  /** Missing items that merged. */
  readonly repaired: number
  /** Refusals of the others, with counts. */
  readonly refused: ReadonlyMap<string, number>
  /** Messages that only this hub stored, by part. */
  readonly extra: ReadonlyMap<AccountPart, number>
  /** Answers of the upstream, to which the extra messages were sent. */
  readonly sent: SentTally
  /** The upstream does not list the user, who is registered here: no message was removed. */
  readonly isUnlisted: boolean
}

/** Compares a user with the upstream and merges missing items. @throws UpstreamFailure */
export async function reconcileAccount(options: ReconcileOptions, fid: number): Promise<AccountReport> {
  const { db, upstreams, hub, trusted, selection, signal } = options
  // Before the upstream is listed, as what is sent meanwhile is not in the list; and once more after it.
  const hasNoOutgoing = options.extra === 'remove' && !(await hasOutgoing(db, fid))
  const difference = await compareAccount(db, upstreams, fid, signal)
  const missing = new Map<AccountPart, number>()
  const reorderBuffer = new ReorderBuffer({ hub, origin: 'store', trusted, signal })
  for (const refusal of difference.unreadable) reorderBuffer.countRefusal(refusal)
  // Before the merge: what is here is not missing for the next comparison, if the process ends between the two.
  for (const { item } of difference.missing) selection?.includes(item)
  await selection?.flush()
  for (const { item } of difference.missing) await reorderBuffer.add(item)
  await reorderBuffer.drain()
  const { merged, refused } = reorderBuffer.tally
  // Items that the sync merged meanwhile were not missing.
  let unattributed = merged + total(refused)
  for (const { part } of difference.missing) if (unattributed-- > 0) increment(missing, part)
  const { isUnlisted } = difference
  const mayRemove = hasNoOutgoing && !isUnlisted
  // A missing item may have been the removal of an extra one.
  const hashes = difference.extra.map(({ hash }) => hash)
  const extraMessages = await readMessages(db, fid, hashes)
  const extra = new Map<AccountPart, number>()
  for (const message of extraMessages) increment(extra, messageSetName(message))
  if (mayRemove && extraMessages.length > 0 && !(await hasOutgoing(db, fid))) {
    await removeExtra(options, extraMessages)
  }
  const sent = await sendExtra(upstreams, options.extra === 'send' ? extraMessages : [], signal)
  return { missing, repaired: merged, refused, extra, sent, isUnlisted }
}

/** Removes messages in parts: users that are compared at the same time share the queue of a shard. */
async function removeExtra(
  { hub, signal }: ReconcileOptions,
  extra: readonly SignedMessage[],
): Promise<void> {
  for (let start = 0; start < extra.length; start += MAX_REMOVALS_AT_ONCE) {
    const part = extra.slice(start, start + MAX_REMOVALS_AT_ONCE)
    // What a failed attempt has removed is refused in the next.
    await submitUntilAvailable(() => hub.removeByUpstream(part), signal)
  }
}

/** Whether messages of a user are still to be sent: those that the upstream lacks may be among them. */
async function hasOutgoing(db: Database, fid: number): Promise<boolean> {
  const [row] = await db<{ isWaiting: boolean }[]>`
    select exists (
      select from hub.outgoing_messages
      where fid = ${fid}::bigint and (refused_at is null or retry_at is not null)
    ) as "isWaiting"
  `
  return row!.isWaiting
}

function increment<Key>(counts: Map<Key, number>, key: Key, by = 1): void {
  counts.set(key, (counts.get(key) ?? 0) + by)
}

/** Adds up all counts of a map. */
export function total(counts: ReadonlyMap<unknown, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

export interface ReconcileRunOptions extends ReconcileOptions {
  /** Null for all known users. */
  readonly fids: readonly number[] | null
  /** Users compared at the same time. */
  readonly concurrency: number
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly onProgress?: (users: number, missing: number) => void
}

/** The result of comparing many users. */
export interface ReconcileReport {
  users: number
  /** Users that the upstream could not list. */
  failed: number
  /** Users whom the upstream does not list, and who are registered here. */
  readonly unlisted: number[]
  /** Users with missing items, by reconcile reason. */
  readonly reasons: Map<string, { users: number; missing: number }>
  /** Items missing here, by part of the account. */
  readonly missing: Map<AccountPart, number>
  repaired: number
  readonly refused: Map<string, number>
  /** Messages that only this hub stored. */
  readonly extra: Map<AccountPart, number>
  readonly sent: SentTally
  isComplete: boolean
}

/**
 * Compares users with the upstream and merges missing items. To remove messages, it stays with one upstream that is not behind:
 * another one may have lost, or not have fetched yet, what would then be removed. @throws UpstreamFailure
 */
export async function reconcile(options: ReconcileRunOptions): Promise<ReconcileReport> {
  const { db, fids, concurrency, signal, onProgress } = options
  const upstreams = options.extra === 'remove' ? await onlyUpstream(options) : options.upstreams
  const report: ReconcileReport = {
    users: 0,
    failed: 0,
    unlisted: [],
    reasons: new Map(),
    missing: new Map(),
    repaired: 0,
    refused: new Map(),
    extra: new Map(),
    sent: createSentTally(),
    isComplete: true,
  }
  const users = readFids(db, { fids, signal })
  const failedAccounts = new FailedAccounts()
  let missing = 0
  async function compare(user: ReconcileCandidate): Promise<void> {
    const accountReport = await reconcileAccount({ ...options, upstreams }, user.fid)
    failedAccounts.succeeded()
    await markCompared(db, user)
    missing += addAccount(report, user, accountReport, options.extra)
    report.users += 1
    onProgress?.(report.users, missing)
  }
  async function work(): Promise<void> {
    for (let next = await users.next(); !next.done && !signal.aborted; next = await users.next()) {
      const user = next.value
      try {
        await compare(user)
      } catch (error) {
        if (signal.aborted) throw error
        failedAccounts.failed(error)
        await queueLast(db, user)
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work)).catch((error: unknown) => {
    if (!signal.aborted || !(error instanceof UpstreamFailure)) throw error
  })
  report.failed = failedAccounts.count
  report.isComplete = !signal.aborted
  return report
}

async function onlyUpstream({ db, upstreams, clock, signal }: ReconcileRunOptions): Promise<Upstreams> {
  const only = onlyCurrent(upstreams)
  await only.request((client) => requireCurrent(db, client, clock(), signal), signal)
  return only
}

/** @returns the number of missing items of the user. */
function addAccount(
  report: ReconcileReport,
  user: ReconcileCandidate,
  accountReport: AccountReport,
  policy: ExtraPolicy,
): number {
  for (const [part, count] of accountReport.missing) increment(report.missing, part, count)
  const isLeftAlone = accountReport.isUnlisted && policy === 'remove'
  for (const [part, count] of isLeftAlone ? [] : accountReport.extra) increment(report.extra, part, count)
  for (const [reason, count] of accountReport.refused) increment(report.refused, reason, count)
  addSent(report.sent, accountReport.sent)
  if (accountReport.isUnlisted) report.unlisted.push(user.fid)
  report.repaired += accountReport.repaired
  const missing = total(accountReport.missing)
  if (missing > 0) {
    const reason = user.reconcileReason ?? (user.isFetched ? 'not known' : 'never fetched')
    const entry = report.reasons.get(reason) ?? { users: 0, missing: 0 }
    report.reasons.set(reason, { users: entry.users + 1, missing: entry.missing + missing })
  }
  return missing
}
