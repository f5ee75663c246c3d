import type { Queryable } from '../../../platform/db/connection.js'
import { PlazaError, type Refusal, refusalError, refuse } from '../../../platform/errors.js'
import { idemConflictError } from '../../publishing/idem.js'
import type { Purchase, Receipt } from './account-ledger.js'

/** A recorded purchase. */
export interface TransactionRow {
  readonly id: number
  readonly walletId: string
  readonly purpose: string
  readonly requestKey: string | null
  readonly nonce: number
  readonly state: 'recorded' | 'confirmed'
  readonly events: Buffer[] | null
  readonly hash: Buffer | null
  readonly fid: number | null
}

/** SQL for the columns of `TransactionRow` from accounts.transactions. */
export function transactionColumns(db: Queryable) {
  return db`id, wallet_id as "walletId", purpose, request_key as "requestKey", nonce, state, events, hash, fid`
}

/**
 * Finds the transaction of a purpose that has not failed; null when there is none.
 *
 * @throws PlazaError `conflict` when the purpose belongs to another request.
 */
export async function findTransaction(
  db: Queryable,
  { purpose, requestKey }: Pick<Purchase, 'purpose' | 'requestKey'>,
): Promise<TransactionRow | null> {
  const [row] = await db<TransactionRow[]>`
    select ${transactionColumns(db)} from accounts.transactions
    where purpose = ${purpose} and state <> 'reverted'`
  if (row && row.requestKey !== (requestKey ?? null)) {
    throw idemConflictError()
  }
  return row ?? null
}

/** Lists the wallets of this network with unsettled transactions, the longest waiting first. */
export async function walletsWithPending(db: Queryable, network: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select t.wallet_id as id from accounts.transactions t join accounts.wallets w on w.id = t.wallet_id
    where t.state = 'recorded' and w.network = ${network}
    group by t.wallet_id
    order by min(t.id)`
  return rows.map(({ id }) => id)
}

/** Lists the unsettled transactions of a wallet in the order of their nonces. */
export async function pendingOfWallet(db: Queryable, walletId: string): Promise<TransactionRow[]> {
  return await db<TransactionRow[]>`
    select ${transactionColumns(db)} from accounts.transactions
    where state = 'recorded' and wallet_id = ${walletId}
    order by nonce`
}

/** Lists the unsettled transactions of this network in the order of recording. */
export async function pendingTransactions(db: Queryable, network: string): Promise<TransactionRow[]> {
  return await db<TransactionRow[]>`
    select ${transactionColumns(db)} from accounts.transactions
    where state = 'recorded' and wallet_id in (select w.id from accounts.wallets w where w.network = ${network})
    order by id`
}

/**
 * Settles transactions. A fid registered for the pool becomes available in the same statement, so it is never
 * paid and missing.
 *
 * @param settlementUpdate An update of accounts.transactions that returns `purpose` and `fid`.
 */
export async function applySettlement(db: Queryable, settlementUpdate: ReturnType<Queryable>): Promise<void> {
  await db`
    with settled as (${settlementUpdate})
    update accounts.fid_pool o
    set fid = settled.fid
    from settled
    where settled.fid is not null and o.fid is null
      and o.id = case when settled.purpose like 'fid pool %' then substr(settled.purpose, 10)::uuid end`
}

/** Returns the receipt of a settled transaction. */
export function receiptOf({ hash, fid }: Pick<TransactionRow, 'hash' | 'fid'>): Receipt {
  return { hash: hash!, fid }
}

/** Refusal for a wallet without enough funds. Amounts in wei. */
export function insufficientFunds(needed: bigint, available: bigint): Refusal {
  return refuse(
    'insufficient_funds',
    `the wallet has ${available} wei available and this may cost ${needed}: send funds to its address`,
  )
}

/** Throws `insufficient_funds` unless the wallet has what is needed. Amounts in wei. */
export function requireFunds(needed: bigint, available: bigint): void {
  if (available < needed) throw refusalError(insufficientFunds(needed, available))
}

/** Throws `unavailable` when nothing may be recorded any more for this purchase. */
export function requireTimeLeft({ untilMs = Number.POSITIVE_INFINITY }: Pick<Purchase, 'untilMs'>): void {
  if (performance.now() >= untilMs) {
    throw new PlazaError('unavailable', 'the network took too long: nothing was sent')
  }
}
