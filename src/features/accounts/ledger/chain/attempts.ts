import type { Database, Queryable, Transaction } from '../../../../platform/db/connection.js'
import { applySettlement, type TransactionRow, transactionColumns } from '../transactions.js'

/** A signed transaction and its hash of 32 bytes. */
export interface SignedTransaction {
  readonly hash: Buffer
  readonly raw: Buffer
}

/** A recorded attempt. */
export interface AttemptRow extends SignedTransaction {
  readonly attempt: number
  readonly signedAt: Date
}

/** Reads the attempts of a transaction, first to last. */
export async function readAttempts(db: Queryable, transactionId: number): Promise<AttemptRow[]> {
  return await db<AttemptRow[]>`
    select attempt, hash, raw, signed_at as "signedAt"
    from accounts.attempts
    where transaction_id = ${transactionId}
    order by attempt`
}

/** Returns the most that a wallet's open transactions may cost in wei, except one. */
export async function reservedAmount(
  db: Queryable,
  walletId: string,
  exceptTransactionId = 0,
): Promise<bigint> {
  const [row] = await db<{ reserved: string }[]>`
    select coalesce(sum(max_cost), 0)::text as reserved from accounts.transactions
    where wallet_id = ${walletId} and state = 'recorded' and id <> ${exceptTransactionId}::bigint`
  return BigInt(row!.reserved)
}

/** Counts a wallet's final transactions; an RPC that counts fewer is behind. */
export async function countSettled(db: Queryable, walletId: string): Promise<number> {
  const [row] = await db<{ nonce: number }[]>`
    select nonce from accounts.transactions
    where wallet_id = ${walletId} and state <> 'recorded'
    order by nonce desc
    limit 1`
  return row === undefined ? 0 : row.nonce + 1
}

/** A transaction to record with its first attempt. */
export interface NewTransaction {
  readonly walletId: string
  readonly purpose: string
  readonly requestKey: string | null
  readonly nonce: number
  readonly maxCost: bigint
  readonly signed: SignedTransaction
  /** Unix milliseconds. */
  readonly nowMs: number
}

/** Records a transaction and its nonce. The caller holds the wallet lock. */
export async function recordTransaction(db: Transaction, record: NewTransaction): Promise<TransactionRow> {
  const { walletId, nonce, signed } = record
  const [row] = await db<TransactionRow[]>`
    insert into accounts.transactions (wallet_id, purpose, request_key, nonce, max_cost)
    values (${walletId}, ${record.purpose}, ${record.requestKey}, ${nonce}, ${String(record.maxCost)}::numeric)
    returning ${transactionColumns(db)}`
  await db`update accounts.wallets set next_nonce = ${nonce + 1} where id = ${walletId}`
  await insertAttempt(db, row!.id, { attempt: 0, signed, nowMs: record.nowMs })
  return row!
}

/**
 * Records a replacement at a higher fee, unless another process has just done so. The caller holds the wallet
 * lock.
 */
export async function recordReplacement(
  db: Transaction,
  transactionId: number,
  record: {
    readonly attempt: number
    readonly signed: SignedTransaction
    readonly maxCost: bigint
    readonly nowMs: number
  },
): Promise<void> {
  await insertAttempt(db, transactionId, record)
  await db`
    update accounts.transactions set max_cost = greatest(max_cost, ${String(record.maxCost)}::numeric)
    where id = ${transactionId} and state = 'recorded'`
}

async function insertAttempt(
  db: Transaction,
  transactionId: number,
  {
    attempt,
    signed,
    nowMs,
  }: { readonly attempt: number; readonly signed: SignedTransaction; readonly nowMs: number },
): Promise<void> {
  await db`
    insert into accounts.attempts (transaction_id, attempt, hash, raw, signed_at)
    values (${transactionId}, ${attempt}, ${signed.hash}, ${signed.raw}, ${new Date(nowMs)})
    on conflict do nothing`
}

/** The result of a transaction. Amounts in wei. */
export interface Settlement {
  readonly hash: Buffer | null
  readonly cost: bigint
  readonly fid: number | null
  /** The reason of a failure; null for success. */
  readonly failure: string | null
}

/** Records the result of a transaction. */
export async function settleTransaction(
  db: Database,
  transactionId: number,
  { hash, cost, fid, failure }: Settlement,
): Promise<void> {
  await applySettlement(
    db,
    db`
    update accounts.transactions
    set state = ${failure === null ? 'confirmed' : 'reverted'}, hash = ${hash}, cost = ${String(cost)}::numeric,
      fid = ${fid}::bigint, failure = ${failure}, settled_at = now()
    where id = ${transactionId} and state = 'recorded'
    returning purpose, fid`,
  )
}

/** Reads the state of a transaction. */
export async function readOutcome(
  db: Queryable,
  transactionId: number,
): Promise<
  { readonly state: 'recorded' | 'confirmed' | 'reverted'; readonly failure: string | null } & Pick<
    TransactionRow,
    'hash' | 'fid'
  >
> {
  const [row] = await db<
    {
      state: 'recorded' | 'confirmed' | 'reverted'
      failure: string | null
      hash: Buffer | null
      fid: number | null
    }[]
  >`
    select state, failure, hash, fid from accounts.transactions where id = ${transactionId}`
  return row!
}
