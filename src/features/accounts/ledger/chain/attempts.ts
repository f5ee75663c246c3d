import type { Queryable, Transaction } from '../../../../platform/db/connection.js'
import { applySettlement, type TransactionRow, transactionColumns } from '../transactions.js'

/** A signed transaction and its hash of 32 bytes. */
export interface SignedTransaction {
  readonly hash: Buffer
  readonly raw: Buffer
}

/** A recorded attempt. */
export interface AttemptRow extends SignedTransaction {
  readonly attempt: number
  /** Milliseconds since it was signed, by the clock of the database. */
  readonly ageMs: number
}

/** Reads the attempts of a transaction, first to last. */
export async function readAttempts(db: Queryable, transactionId: number): Promise<AttemptRow[]> {
  return await db<AttemptRow[]>`
    select attempt, hash, raw, extract(epoch from now() - signed_at)::double precision * 1000 as "ageMs"
    from accounts.attempts
    where transaction_id = ${transactionId}
    order by attempt`
}

/** Returns the most that a wallet's open transactions may cost in wei, except one. */
export async function reservedAmount(db: Queryable, walletId: string, exceptId = 0): Promise<bigint> {
  const [row] = await db<{ reserved: string }[]>`
    select coalesce(sum(max_cost), 0)::text as reserved from accounts.transactions
    where wallet_id = ${walletId} and state = 'recorded' and id <> ${exceptId}::bigint`
  return BigInt(row!.reserved)
}

/** Returns what a wallet with this balance can spend in wei: all but the reserve of open transactions. */
export async function spendableAmount(db: Queryable, walletId: string, balance: bigint): Promise<bigint> {
  const reserved = await reservedAmount(db, walletId)
  return balance > reserved ? balance - reserved : 0n
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
  readonly requestKey?: string | undefined
  readonly nonce: number
  readonly maxCost: bigint
  readonly signed: SignedTransaction
}

/** Records a transaction and its nonce, and returns it with the hash of its attempt. The caller holds the wallet lock. */
export async function recordTransaction(db: Transaction, record: NewTransaction): Promise<TransactionRow> {
  const { walletId, purpose, requestKey = null, nonce, maxCost } = record
  const [row] = await db<TransactionRow[]>`
    insert into accounts.transactions (wallet_id, purpose, request_key, nonce, max_cost)
    values (${walletId}, ${purpose}, ${requestKey}, ${nonce}, ${String(maxCost)}::numeric)
    returning ${transactionColumns(db)}`
  await db`update accounts.wallets set next_nonce = greatest(next_nonce, ${nonce + 1}) where id = ${walletId}`
  await insertAttempt(db, row!.id, 0, record)
  return { ...row!, hash: record.signed.hash }
}

/**
 * Records a replacement at a higher fee, unless another process has just done so. The caller holds the wallet
 * lock.
 */
export async function recordReplacement(
  db: Transaction,
  transactionId: number,
  attempt: number,
  record: Pick<NewTransaction, 'signed' | 'maxCost'>,
): Promise<void> {
  await insertAttempt(db, transactionId, attempt, record)
  await db`
    update accounts.transactions set max_cost = greatest(max_cost, ${String(record.maxCost)}::numeric)
    where id = ${transactionId} and state = 'recorded'`
}

/**
 * Records an attempt that is in a block and whose record was lost, unless another process has just recorded another one: then it
 * is found again.
 */
export async function recordLostAttempt(
  db: Queryable,
  transactionId: number,
  attempt: number,
  signed: SignedTransaction,
): Promise<void> {
  await insertAttempt(db, transactionId, attempt, { signed })
}

/** Records an attempt as signed now, not when its transaction began, which has waited for the wallet and the network. */
async function insertAttempt(
  db: Queryable,
  transactionId: number,
  attempt: number,
  { signed }: Pick<NewTransaction, 'signed'>,
): Promise<void> {
  await db`
    insert into accounts.attempts (transaction_id, attempt, hash, raw, signed_at)
    values (${transactionId}, ${attempt}, ${signed.hash}, ${signed.raw}, statement_timestamp())
    on conflict do nothing`
}

/** Records the result of a transaction and its cost in wei. */
export async function settleTransaction(
  db: Queryable,
  id: number,
  { hash, cost, fid, failure }: Pick<Outcome, 'hash' | 'fid' | 'failure'> & { readonly cost: bigint },
): Promise<void> {
  await applySettlement(
    db,
    db`
    update accounts.transactions
    set state = ${failure === null ? 'confirmed' : 'reverted'}, hash = ${hash}, cost = ${String(cost)}::numeric,
      fid = ${fid}::bigint, failure = ${failure}, settled_at = now()
    where id = ${id} and state = 'recorded'
    returning purpose, fid`,
  )
}

/** The state of a transaction. */
export interface Outcome extends Pick<TransactionRow, 'hash' | 'fid'> {
  readonly state: 'recorded' | 'confirmed' | 'reverted'
  /** The reason of a failure; null for success. */
  readonly failure: string | null
}

/** Reads the state of a transaction. */
export async function readOutcome(db: Queryable, transactionId: number): Promise<Outcome> {
  const [row] = await db<Outcome[]>`
    select state, failure, hash, fid from accounts.transactions where id = ${transactionId}`
  return row!
}
