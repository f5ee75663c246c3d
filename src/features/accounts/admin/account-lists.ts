import type { Database } from '../../../platform/db/connection.js'
import { type PoolFidState, poolFidState } from '../fid-pool/pool-fid-states.js'

/** Counts for the summary of accounts. */
export interface AccountCounts {
  readonly wallets: number
  readonly pendingRegistrations: number
  readonly pendingTransactions: number
}

/** A page after the row with this sort key, newest first. */
export interface PageAfter {
  readonly atMs: number
  readonly id: string
}

/** Counts wallets and unfinished work. */
export async function countAccounts(db: Database): Promise<AccountCounts> {
  const [row] = await db<AccountCounts[]>`
    select
      (select count(*)::integer from accounts.wallets) as wallets,
      (select count(*)::integer from accounts.transactions where state = 'recorded') as "pendingTransactions",
      (select count(*)::integer from accounts.registrations where step not in ('done', 'undone'))
        + (select count(*)::integer from accounts.direct_registrations where finished_at is null)
        as "pendingRegistrations"`
  return row!
}

/** A wallet with its app. */
export interface WalletRow {
  readonly id: string
  readonly appId: string
  readonly app: string
  readonly network: string
  readonly address: Buffer
  readonly fidPoolSize: number
  readonly fidsOrdered: number
  readonly fidsUsed: number
  readonly createdAt: Date
  readonly atMs: number
}

/** Lists wallets, newest first. */
export async function listWalletRows(
  db: Database,
  { after, limit }: { readonly after: PageAfter | null; readonly limit: number },
): Promise<WalletRow[]> {
  return await db<WalletRow[]>`
    select w.* from (
      select w.id, app_id as "appId", a.name as app, network, address, fid_pool_size as "fidPoolSize",
        fids_ordered as "fidsOrdered", fids_used as "fidsUsed", w.created_at as "createdAt", ${msOf(db, 'w.created_at')} as "atMs"
      from accounts.wallets w
      join apps.apps a on a.id = w.app_id
    ) w
    where ${isAfter(db, after)}
    order by "atMs" desc, id desc
    limit ${limit}`
}

/** An entry of the fid pool. */
export interface PoolFidRow {
  readonly id: string
  readonly fid: number | null
  readonly state: PoolFidState
  readonly network: string
  readonly paidBy: string
  readonly heldBy: string | null
  readonly heldUntil: Date | null
  readonly usedAt: Date | null
  readonly orderedAt: Date
  readonly failures: number
  readonly nextAttemptAt: Date
  readonly atMs: number
}

/** Lists entries of the fid pool in a state, or all, newest first. */
export async function listPoolFids(
  db: Database,
  {
    state,
    after,
    limit,
  }: {
    readonly state: PoolFidState | null
    readonly after: PageAfter | null
    readonly limit: number
  },
): Promise<PoolFidRow[]> {
  return await db<PoolFidRow[]>`
    select * from (
      select id, fid, network, paid_by as "paidBy", held_by as "heldBy", held_until as "heldUntil",
        used_at as "usedAt", ordered_at as "orderedAt", failures, next_attempt_at as "nextAttemptAt",
        ${msOf(db, 'ordered_at')} as "atMs",
        ${poolFidState(db)} as state
      from accounts.fid_pool
    ) f
    where (${state}::text is null or state = ${state}::text) and ${isAfter(db, after)}
    order by "atMs" desc, id desc
    limit ${limit}`
}

/** A registration of either kind. */
export interface ListedRegistration {
  readonly id: string
  readonly kind: 'user' | 'direct'
  readonly fid: number | null
  readonly fname: string | null
  readonly app: string
  readonly walletId: string
  readonly step: string
  readonly isPending: boolean
  readonly problems: string[]
  readonly attemptedAt: Date
  readonly finishedAt: Date | null
  readonly atMs: number
}

/** Lists registrations, those that were attempted last first. */
export async function listRegistrations(
  db: Database,
  {
    isPending,
    after,
    limit,
  }: { readonly isPending: boolean | null; readonly after: PageAfter | null; readonly limit: number },
): Promise<ListedRegistration[]> {
  return await db<ListedRegistration[]>`
    select r.*, a.name as app from (
      select id, 'user' as kind, fid, fname, app_id, wallet_id as "walletId", step,
        step not in ('done', 'undone') as "isPending", problems, attempted_at as "attemptedAt",
        finished_at as "finishedAt", ${msOf(db, 'attempted_at')} as "atMs"
      from accounts.registrations
      union all
      select id, 'direct', fid, null, app_id, wallet_id,
        case when finished_at is null then done || ' calls done' else 'done' end,
        finished_at is null, problems, attempted_at, finished_at, ${msOf(db, 'attempted_at')}
      from accounts.direct_registrations
    ) r
    join apps.apps a on a.id = r.app_id
    where (${isPending}::boolean is null or "isPending" = ${isPending}::boolean) and ${isAfter(db, after, 'r.id')}
    order by "atMs" desc, r.id desc
    limit ${limit}`
}

/** A purchase of a wallet. */
export interface WalletTransactionRow {
  readonly id: number
  readonly walletId: string
  readonly network: string
  readonly purpose: string
  readonly state: 'recorded' | 'confirmed' | 'reverted'
  readonly nonce: number
  readonly attempts: number
  readonly hash: Buffer | null
  readonly fid: number | null
  readonly maxCost: string
  readonly cost: string | null
  readonly failure: string | null
  readonly createdAt: Date
  readonly settledAt: Date | null
}

/** Lists transactions in a state, or all, newest first. */
export async function listWalletTransactions(
  db: Database,
  {
    state,
    before,
    limit,
  }: {
    readonly state: WalletTransactionRow['state'] | null
    readonly before: number | null
    readonly limit: number
  },
): Promise<WalletTransactionRow[]> {
  return await db<WalletTransactionRow[]>`
    select t.id, t.wallet_id as "walletId", w.network, t.purpose, t.state,
      -- One that lost its nonce has it below zero (ledger/chain/unrecorded.ts).
      case when t.nonce < 0 then -1 - t.nonce else t.nonce end as nonce,
      coalesce(a.attempts, 0) as attempts, coalesce(t.hash, a.hash) as hash, t.fid, t.max_cost::text as "maxCost",
      t.cost::text as cost, t.failure, t.created_at as "createdAt", t.settled_at as "settledAt"
    from accounts.transactions t
    join accounts.wallets w on w.id = t.wallet_id
    left join lateral (
      select count(*)::integer as attempts, (array_agg(hash order by attempt desc))[1] as hash
      from accounts.attempts where transaction_id = t.id
    ) a on true
    where (${state}::text is null or t.state = ${state}::text)
      and (${before}::bigint is null or t.id < ${before}::bigint)
    order by t.id desc
    limit ${limit}`
}

/** SQL for a time in Unix milliseconds. */
function msOf(db: Database, column: string) {
  return db.unsafe(`floor(extract(epoch from ${column}) * 1000)::bigint`)
}

function isAfter(db: Database, after: PageAfter | null, idColumn = 'id') {
  if (after === null) return db`true`
  return db`("atMs", ${db.unsafe(idColumn)}) < (${after.atMs}::bigint, ${after.id}::uuid)`
}
