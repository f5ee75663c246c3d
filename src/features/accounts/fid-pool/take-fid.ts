import type { Database, Queryable } from '../../../platform/db/connection.js'
import { resultWithin } from '../../../platform/process/pause.js'
import type { AccountLedger, PurchaseQuote } from '../ledger/account-ledger.js'
import { requireFunds } from '../ledger/transactions.js'
import { lockWallet, type Wallet } from '../wallets/wallets.js'
import { endsStorage, isLostFid } from './fid-orders.js'

/** How long a fid is held for its registration (docs/compatibility.md §21.1). */
const HOLD_SECONDS = 10 * 60

/**
 * How long later calls of a wallet wait for the chain; they are answered within a second
 * (docs/compatibility.md §21.1).
 */
const QUOTE_TIMEOUT_MS = 500

interface TakeOptions {
  /** Milliseconds of `performance.now()` after which the caller gets no fid, because it would be held for nobody. */
  readonly untilMs: number
  /** Unix seconds, by which storage ends. */
  readonly nowSeconds: number
  /** Whether the caller waits for a fid that the wallet has just paid for. */
  readonly isWaiting?: boolean
}

/**
 * Takes the available fid that waited longest, preferring those that the wallet paid for, and holds it for
 * ten minutes.
 *
 * Callers of one wallet are serialized, since each must be able to pay for a replacement; callers waiting for
 * a fid that the wallet has paid for are exempt. When the network does not say in time whether the wallet can
 * pay, it gets only fids that it has paid for itself, never those of others.
 *
 * @returns Null when the pool is empty, or the time is over.
 * @throws PlazaError `insufficient_funds`; `unavailable` when the network's answer is needed and missing.
 */
export async function takeFid(
  db: Database,
  ledger: AccountLedger,
  wallet: Wallet,
  options: TakeOptions,
): Promise<number | null> {
  const quotePromise = ledger.quote(wallet, { kind: 'register' }, 'recent')
  const quote = await resultWithin(
    QUOTE_TIMEOUT_MS,
    quotePromise.catch(() => null),
  )
  const fid = await db.begin(async (transaction) => {
    await lockFidTaking(transaction, wallet.id)
    if (quote === null) return (await assignFid(transaction, wallet, options, 'its own')) ?? 'uncertain'
    const { needed, available } = await requiredFunds(transaction, quote, wallet, options)
    return available >= needed ? await assignFid(transaction, wallet, options) : 'uncertain'
  })
  if (fid !== 'uncertain') return fid
  // A wallet that has just been funded is not refused for its balance of a moment ago.
  const freshQuote = await ledger.quote(wallet, { kind: 'register' }, 'fresh')
  return await takeWithWalletLock(db, freshQuote, wallet, options)
}

/**
 * Takes a fid under the wallet lock. Purchases wait meanwhile, so that a payment in progress is not counted
 * as both owed and spent.
 */
async function takeWithWalletLock(db: Database, quote: PurchaseQuote, wallet: Wallet, options: TakeOptions) {
  return await db.begin(async (transaction) => {
    await lockWallet(transaction, wallet.id)
    await lockFidTaking(transaction, wallet.id)
    const { needed, available } = await requiredFunds(transaction, quote, wallet, options)
    requireFunds(needed, available)
    return await assignFid(transaction, wallet, options)
  })
}

/**
 * Serializes takers of one wallet. Not the row lock, which purchases hold while they call the chain and which
 * takers must not wait for.
 */
async function lockFidTaking(db: Queryable, walletId: string): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtextextended(${`taking ${walletId}`}, 0))`
}

/** Returns the wallet's balance and what it needs for one more fid, in wei. */
async function requiredFunds(
  db: Queryable,
  quote: PurchaseQuote,
  wallet: Wallet,
  { isWaiting = false }: TakeOptions,
): Promise<{ readonly needed: bigint; readonly available: bigint }> {
  const owed = await countOwedFids(db, wallet.id)
  const needed = quote.price * BigInt(Math.max(isWaiting ? 0 : 1, owed + 1))
  return { needed, available: await quote.available(db) }
}

/** Counts the fids that the wallet took beyond those paid or being paid on its account. */
async function countOwedFids(db: Queryable, walletId: string): Promise<number> {
  const [row] = await db<{ owed: number }[]>`
    select w.fids_used
      + (
        select count(*) from accounts.fid_pool h
        where h.held_by = w.id and h.used_at is null and h.held_until > now()
      )
      - w.fids_ordered
      + (
        select count(*) from accounts.fid_pool o
        where o.paid_by = w.id and o.fid is null and not exists (
          select from accounts.transactions t where t.purpose = 'fid pool ' || o.id and t.state <> 'reverted'
        )
      ) as owed
    from accounts.wallets w
    where w.id = ${walletId}`
  return row!.owed
}

/** Gives a fid to a wallet, which has it for ten minutes from this statement: its transaction may have waited for a lock. */
async function assignFid(
  db: Queryable,
  { id, network }: Wallet,
  { untilMs, nowSeconds }: TakeOptions,
  source: 'any' | 'its own' = 'any',
): Promise<number | null> {
  if (performance.now() >= untilMs) return null
  const [row] = await db<{ fid: number }[]>`
    update accounts.fid_pool
    set held_by = ${id}, held_until = statement_timestamp() + ${HOLD_SECONDS}::integer * interval '1 second'
    where id = (
      select s.id from accounts.fid_pool s
      where s.network = ${network} and s.fid is not null and s.used_at is null
        and (s.held_until is null or s.held_until <= statement_timestamp())
        and (${source === 'any'} or s.paid_by = ${id}::uuid)
        and not ${isLostFid(db)} and not ${endsStorage(db, nowSeconds)}
      order by s.paid_by <> ${id}::uuid, s.fid
      limit 1
      for update skip locked
    )
    returning fid`
  return row?.fid ?? null
}
