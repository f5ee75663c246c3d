import type { Database, Queryable } from '../../db/connection.js'
import { PlazaError } from '../../errors.js'
import type { AccountLedger } from '../ledger/account-ledger.js'
import { tooLittle } from '../ledger/transactions.js'
import { lockWallet, type Wallet } from '../wallets/wallets.js'

/** How long a fid waits for its registration (service-spec.md, "Limits"). */
const HOLD_SECONDS = 10 * 60

/**
 * Hands a fid out: one that waited longest of those that the wallet has paid for, else of any. It is held for the
 * wallet for ten minutes. Callers of one wallet come one after the other, since each has to be able to pay for a fid in
 * the place of the one it gets; but for those who wait for a fid that the wallet has paid for meanwhile.
 *
 * @param nowMs Unix milliseconds.
 * @returns null when the shelf is empty.
 * @throws PlazaError `insufficient_funds`.
 */
export async function takeFid(
  db: Database,
  ledger: AccountLedger,
  wallet: Wallet,
  { nowMs, isWaiting = false }: { readonly nowMs: number; readonly isWaiting?: boolean },
): Promise<number | null> {
  const price = await ledger.priceOf({ kind: 'register' })
  return await db.begin(async (transaction) => {
    await lockWallet(transaction, wallet.id)
    const owed = await readDebt(transaction, wallet.id, nowMs)
    const needed = price * BigInt(Math.max(isWaiting ? 0 : 1, owed + 1))
    const available = await ledger.available(transaction, wallet)
    if (available < needed) {
      const { code, message } = tooLittle(needed, available)
      throw new PlazaError(code, message)
    }
    return await handOut(transaction, wallet, nowMs)
  })
}

/** How many more fids the wallet has than were registered, or are being paid, on its account. */
async function readDebt(db: Queryable, walletId: string, nowMs: number): Promise<number> {
  const [row] = await db<{ owed: number }[]>`
    select w.fids_used
      + (
        select count(*) from accounts.shelf h
        where h.held_by = w.id and h.used_at is null and h.held_until > ${new Date(nowMs)}
      )
      - w.fids_ordered
      + (
        select count(*) from accounts.shelf o
        where o.paid_by = w.id and o.fid is null and not exists (
          select from accounts.transactions t where t.purpose = 'shelf ' || o.id and t.state <> 'reverted'
        )
      ) as owed
    from accounts.wallets w
    where w.id = ${walletId}`
  return row!.owed
}

async function handOut(
  db: Queryable,
  { id, network }: Pick<Wallet, 'id' | 'network'>,
  nowMs: number,
): Promise<number | null> {
  const [row] = await db<{ fid: number }[]>`
    update accounts.shelf
    set held_by = ${id}, held_until = ${new Date(nowMs + HOLD_SECONDS * 1000)}
    where id = (
      select s.id from accounts.shelf s
      where s.network = ${network} and s.fid is not null and s.used_at is null
        and (s.held_until is null or s.held_until <= ${new Date(nowMs)})
      order by s.paid_by <> ${id}::uuid, s.fid
      limit 1
      for update skip locked
    )
    returning fid`
  return row?.fid ?? null
}
