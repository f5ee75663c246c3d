import type { Queryable } from '../../../platform/db/connection.js'
import { PlazaError, type Refusal, refuse } from '../../../platform/errors.js'
import type { Purchase, Receipt } from './account-ledger.js'

/** A purchase as it was recorded. */
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

/** The columns of `TransactionRow` out of accounts.transactions. */
export function transactionColumns(db: Queryable) {
  return db`id, wallet_id as "walletId", purpose, request_key as "requestKey", nonce, state, events, hash, fid`
}

/**
 * What was recorded for a purpose and has not failed; null when nothing was.
 *
 * @throws PlazaError `conflict` when something else was asked for under it.
 */
export async function findTransaction(
  db: Queryable,
  { purpose, requestKey = null }: Pick<Purchase, 'purpose'> & { readonly requestKey?: string | null },
): Promise<TransactionRow | null> {
  const [row] = await db<TransactionRow[]>`
    select ${transactionColumns(db)} from accounts.transactions
    where purpose = ${purpose} and state <> 'reverted'`
  if (row && row.requestKey !== requestKey) {
    throw new PlazaError('conflict', 'this idem was given to another request', { property: 'idem' })
  }
  return row ?? null
}

/** What was recorded on this network and is not known to count, in the order in which it was. */
export async function pendingTransactions(db: Queryable, network: string): Promise<TransactionRow[]> {
  return await db<TransactionRow[]>`
    select t.id, t.wallet_id as "walletId", purpose, request_key as "requestKey", nonce, state, events, hash, fid
    from accounts.transactions t
    join accounts.wallets w on w.id = t.wallet_id
    where t.state = 'recorded' and w.network = ${network}
    order by t.id`
}

/**
 * Settles transactions. A fid that was registered for the shelf is on it from the same statement on: at no moment is it
 * paid for and nowhere.
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

/** The receipt of a transaction that counts. */
export function receiptOf({ hash, fid }: Pick<TransactionRow, 'hash' | 'fid'>): Receipt {
  return { hash: hash!, fid }
}

/** Why a wallet cannot pay. Amounts in wei. */
export function insufficientFunds(needed: bigint, available: bigint): Refusal {
  return refuse(
    'insufficient_funds',
    `the wallet has ${available} wei to spend, and this may take ${needed}: send money to its address`,
  )
}
