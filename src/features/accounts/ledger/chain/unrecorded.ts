import type { Transaction } from '../../../../platform/db/connection.js'
import type { TransactionRow } from '../transactions.js'
import { recordTransaction, type SignedTransaction } from './attempts.js'
import type { ContractTransaction, TransactionOrder } from './transaction-order.js'
import {
  gasTagOf,
  maxCostOf,
  purposeTag,
  readTransaction,
  type WalletTransaction,
} from './wallet-transaction.js'

/** Time after which nobody repeats a request whose transaction was lost. */
const KEPT_DAYS = 30

/**
 * Whether two transactions of a wallet are for the same purchase, whatever their nonces and fees are.
 *
 * The value of a call with data is a price, which changes between two attempts; that of a plain transfer is what is sent.
 */
export function isSamePurchase(
  own: ContractTransaction & { readonly tag: number },
  other: WalletTransaction,
): boolean {
  return (
    own.tag === gasTagOf(other) &&
    own.to.toLowerCase() === other.to.toLowerCase() &&
    own.data.toLowerCase() === other.data.toLowerCase() &&
    (own.data !== '0x' || own.value === other.value)
  )
}

/** Stores transactions that are not recorded, for the purchases that they may be of. The caller holds the wallet lock. */
export async function storeUnrecorded(
  db: Transaction,
  walletId: string,
  found: readonly SignedTransaction[],
): Promise<void> {
  for (const { hash, raw } of found) {
    const transaction = readTransaction(raw)
    await db`
      insert into accounts.unrecorded_transactions (wallet_id, nonce, gas_tag, hash, raw)
      values (${walletId}, ${transaction.nonce}, ${gasTagOf(transaction)}, ${hash}, ${raw})
      on conflict (wallet_id, nonce) do update
      set gas_tag = excluded.gas_tag, hash = excluded.hash, raw = excluded.raw, found_at = excluded.found_at`
  }
  await db`
    delete from accounts.unrecorded_transactions
    where wallet_id = ${walletId} and found_at < now() - make_interval(days => ${KEPT_DAYS})`
}

/**
 * Records the transaction that has already been sent for an order, if the database has lost its record; null if there is none.
 * The caller holds the wallet lock.
 */
export async function adoptUnrecorded(
  db: Transaction,
  order: TransactionOrder,
): Promise<TransactionRow | null> {
  const { walletId, purpose, call, value } = order
  const tag = purposeTag(purpose)
  const rows = await db<(SignedTransaction & { readonly nonce: number })[]>`
    select nonce, hash, raw from accounts.unrecorded_transactions
    where wallet_id = ${walletId} and gas_tag = ${tag}
    order by nonce`
  const lost = rows.find(({ raw }) => isSamePurchase({ ...call, value, tag }, readTransaction(raw)))
  if (lost === undefined) return null
  const { nonce, hash, raw } = lost
  await db`delete from accounts.unrecorded_transactions where wallet_id = ${walletId} and nonce = ${nonce}`
  // A nonce belongs to one transaction: one that lost it to this one has it below zero.
  await db`
    update accounts.transactions set nonce = -1 - nonce
    where wallet_id = ${walletId} and nonce = ${nonce} and state = 'reverted' and hash is null`
  const maxCost = maxCostOf(readTransaction(raw))
  return await recordTransaction(db, { ...order, nonce, maxCost, signed: { hash, raw } })
}
