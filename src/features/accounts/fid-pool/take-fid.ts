import type { Database, Queryable } from '../../../platform/db/connection.js'
import { PlazaError } from '../../../platform/errors.js'
import { pause } from '../../../platform/process/pause.js'
import type { AccountLedger, PurchaseQuote } from '../ledger/account-ledger.js'
import { insufficientFunds } from '../ledger/transactions.js'
import { lockWallet, type Wallet } from '../wallets/wallets.js'

/** How long a fid waits for its registration (docs/compatibility.md §21.1). */
const HOLD_SECONDS = 10 * 60

/** Later calls of a wallet are answered within a second (docs/compatibility.md §21.1): so long they wait for the chain. */
const QUOTE_TIMEOUT_MS = 500

/** When a fid is taken, and by whom. */
interface TakeOptions {
  /** Unix milliseconds. */
  readonly nowMs: number
  /** Whether the caller waits for one that the wallet has paid for meanwhile. */
  readonly isWaiting?: boolean
}

/**
 * Hands a fid out: one that waited longest of those that the wallet has paid for, else of any. It is held for the
 * wallet for ten minutes. Callers of one wallet come one after the other, since each has to be able to pay for a fid in
 * the place of the one it gets; but for those who wait for a fid that the wallet has paid for meanwhile.
 *
 * Where the network does not tell in time whether the wallet can pay for another one, it gets a fid that it has paid for
 * itself, if there is any: it may have to be asked for money later, but takes nothing of what others have paid for.
 *
 * @returns null when the shelf is empty.
 * @throws PlazaError `insufficient_funds`; `unavailable` when the network does not answer, and has to.
 */
export async function takeFid(
  db: Database,
  ledger: AccountLedger,
  wallet: Wallet,
  options: TakeOptions,
): Promise<number | null> {
  const quotePromise = ledger.quote(wallet, { kind: 'register' })
  const quote = await resolveInTime(quotePromise)
  const taken = await db.begin(async (transaction) => {
    await lockFidTaking(transaction, wallet.id)
    if (quote === null) {
      const fid = await assignFid(transaction, wallet, options, 'its own')
      return { fid, isCertain: fid !== null }
    }
    const { needed, available } = await requiredFunds(transaction, quote, wallet, options)
    const canPay = available >= needed
    return { fid: canPay ? await assignFid(transaction, wallet, options) : null, isCertain: canPay }
  })
  return taken.isCertain ? taken.fid : await takeWithWalletLock(db, await quotePromise, wallet, options)
}

/** Nobody is refused for what is paid in this moment, and counts as owed and as spent: purchases wait meanwhile. */
async function takeWithWalletLock(
  db: Database,
  quote: PurchaseQuote,
  wallet: Wallet,
  options: TakeOptions,
): Promise<number | null> {
  return await db.begin(async (transaction) => {
    await lockWallet(transaction, wallet.id)
    await lockFidTaking(transaction, wallet.id)
    const { needed, available } = await requiredFunds(transaction, quote, wallet, options)
    if (available < needed) {
      const { code, message } = insufficientFunds(needed, available)
      throw new PlazaError(code, message)
    }
    return await assignFid(transaction, wallet, options)
  })
}

/**
 * Lets nobody else take a fid by this wallet until the transaction ends. It is not the lock of the wallet's row: that is
 * held by purchases while they ask the chain, for which nobody is to wait who takes what is there.
 */
async function lockFidTaking(db: Queryable, walletId: string): Promise<void> {
  await db`select pg_advisory_xact_lock(hashtextextended(${`taking ${walletId}`}, 0))`
}

async function resolveInTime(quotePromise: Promise<PurchaseQuote>): Promise<PurchaseQuote | null> {
  const abortController = new AbortController()
  try {
    return await Promise.race([
      quotePromise.catch(() => null),
      pause(QUOTE_TIMEOUT_MS, abortController.signal).then(() => null),
    ])
  } finally {
    abortController.abort()
  }
}

/** What the wallet has to have for one more fid, and what it has, in wei. */
async function requiredFunds(
  db: Queryable,
  quote: PurchaseQuote,
  wallet: Wallet,
  { nowMs, isWaiting = false }: TakeOptions,
): Promise<{ readonly needed: bigint; readonly available: bigint }> {
  const owed = await countOwedFids(db, wallet.id, nowMs)
  const needed = quote.price * BigInt(Math.max(isWaiting ? 0 : 1, owed + 1))
  return { needed, available: await quote.available(db) }
}

/** How many more fids the wallet has than were registered, or are being paid, on its account. */
async function countOwedFids(db: Queryable, walletId: string, nowMs: number): Promise<number> {
  const [row] = await db<{ owed: number }[]>`
    select w.fids_used
      + (
        select count(*) from accounts.fid_pool h
        where h.held_by = w.id and h.used_at is null and h.held_until > ${new Date(nowMs)}
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

async function assignFid(
  db: Queryable,
  { id, network }: Wallet,
  { nowMs }: TakeOptions,
  source: 'any' | 'its own' = 'any',
): Promise<number | null> {
  const [row] = await db<{ fid: number }[]>`
    update accounts.fid_pool
    set held_by = ${id}, held_until = ${new Date(nowMs + HOLD_SECONDS * 1000)}
    where id = (
      select s.id from accounts.fid_pool s
      where s.network = ${network} and s.fid is not null and s.used_at is null
        and (s.held_until is null or s.held_until <= ${new Date(nowMs)})
        and (${source === 'any'} or s.paid_by = ${id}::uuid)
      order by s.paid_by <> ${id}::uuid, s.fid
      limit 1
      for update skip locked
    )
    returning fid`
  return row?.fid ?? null
}
