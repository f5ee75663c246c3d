import type { Database } from '../../../platform/db/connection.js'
import { PlazaError, type Refusal } from '../../../platform/errors.js'
import type { Log } from '../../../platform/log/log.js'
import type { Vault } from '../../../platform/vault/vault.js'
import type { AccountLedger } from '../ledger/account-ledger.js'
import { registerAuthorization, signAuthorization } from '../ledger/signed-authorizations.js'
import type { Wallet } from '../wallets/wallets.js'
import { addToPool, dueOrders, expedite, type FidOrder, orderFids, postpone } from './fid-orders.js'
import { openCustodyAccount } from './fid-pool-key.js'
import { takeFid } from './take-fid.js'

/** Dependencies of the fid pool. */
export interface FidPoolOptions {
  /** Used for writes. */
  readonly db: Database
  readonly vault: Vault
  readonly ledger: AccountLedger
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: Log
  /** Called when a wallet has taken a fid, which must be replaced. */
  readonly onTaken?: (walletId: string) => void
  /** Milliseconds that a caller waits for a fid that is being registered. */
  readonly waitMs?: number
}

/** The first call of a new wallet takes about a minute (docs/compatibility.md §21.1). */
const WAIT_MS = 90_000
const POLL_MS = 500
/** Signatures for pool addresses are valid for a day, since a transaction may wait that long. */
const AUTHORIZATION_SECONDS = 24 * 60 * 60
const ZERO_ADDRESS = Buffer.alloc(20)

/** Fids registered in advance. Any number of processes may take and fill concurrently. */
export class FidPool {
  readonly #options: FidPoolOptions
  /** Number of callers waiting in this process by wallet, and their wake-up functions in order. */
  readonly #waitingCounts = new Map<string, number>()
  readonly #wakeUps = new Set<() => void>()
  /** The running and the next fill by wallet. */
  readonly #fills = new Map<string, { readonly now: Promise<void>; next: Promise<void> | null }>()

  constructor(options: FidPoolOptions) {
    this.#options = options
  }

  /**
   * Takes a fid for ten minutes; waits for a registration when the pool is empty.
   *
   * @throws PlazaError `insufficient_funds`; `unavailable` when the network takes too long: call again.
   */
  async take(wallet: Wallet): Promise<number> {
    const { db, ledger, clock, onTaken } = this.#options
    const availableFid = await takeFid(db, ledger, wallet, { nowMs: clock() })
    const fid = availableFid ?? (await this.#waitFor(wallet))
    onTaken?.(wallet.id)
    return fid
  }

  /** Orders and registers what a wallet lacks. Concurrent calls share the next fill. */
  fill(walletId: string): Promise<void> {
    const fills = this.#fills.get(walletId)
    if (fills === undefined) return this.#startFill(walletId)
    fills.next ??= fills.now.catch(() => {}).then(() => this.#startFill(walletId))
    return fills.next
  }

  /** Resolves when no fill is running. */
  async idle(): Promise<void> {
    for (let fills = [...this.#fills.values()]; fills.length > 0; fills = [...this.#fills.values()]) {
      await Promise.allSettled(fills.flatMap(({ now, next }) => (next === null ? [now] : [now, next])))
    }
  }

  #startFill(walletId: string): Promise<void> {
    const now = this.#fillNow(walletId).finally(() => {
      const fills = this.#fills.get(walletId)
      if (fills?.now === now && fills.next === null) this.#fills.delete(walletId)
    })
    this.#fills.set(walletId, { now, next: null })
    return now
  }

  async #waitFor(wallet: Wallet): Promise<number> {
    const { db, ledger, clock, waitMs = WAIT_MS } = this.#options
    await expedite(db, wallet.id, clock())
    for (let waitedMs = 0; waitedMs < waitMs; waitedMs += POLL_MS) {
      await this.#whileWaiting(wallet.id, () =>
        Promise.race([this.#nextPooled(), rejectionOf(this.fill(wallet.id))]),
      )
      // Not counted as waiting while it takes: its fid would be ordered twice.
      const fid = await takeFid(db, ledger, wallet, { nowMs: clock(), isWaiting: true })
      if (fid !== null) return fid
    }
    throw new PlazaError('unavailable', 'the fid is still being registered: try again')
  }

  async #whileWaiting(walletId: string, waitingCounts: () => Promise<void>): Promise<void> {
    this.#waitingCounts.set(walletId, this.#waitingCount(walletId) + 1)
    try {
      await waitingCounts()
    } finally {
      this.#waitingCounts.set(walletId, this.#waitingCount(walletId) - 1)
      if (this.#waitingCount(walletId) === 0) this.#waitingCounts.delete(walletId)
    }
  }

  #waitingCount(walletId: string): number {
    return this.#waitingCounts.get(walletId) ?? 0
  }

  /**
   * Resolves when this process adds a fid that no other caller was woken for, or after a while, since other
   * processes fill the pool too.
   */
  #nextPooled(): Promise<void> {
    return new Promise((resolve) => {
      const call = () => {
        clearTimeout(timer)
        this.#wakeUps.delete(call)
        resolve()
      }
      const timer = setTimeout(call, POLL_MS)
      this.#wakeUps.add(call)
    })
  }

  async #fillNow(walletId: string): Promise<void> {
    const { db, vault, clock } = this.#options
    const waitingCounts = () => this.#waitingCount(walletId)
    await orderFids(db, vault, { walletId, waitingCount: waitingCounts, nowMs: clock() })
    const orders = await dueOrders(db, walletId, clock())
    await Promise.all(orders.map((order) => this.#runOrder(order)))
  }

  /** Runs an order. A failure postpones it and does not stop others. */
  async #runOrder(order: FidOrder): Promise<void> {
    const { db, clock, log } = this.#options
    try {
      const fid = await this.#register(order)
      if (typeof fid === 'number') {
        await addToPool(db, order.id, fid)
        // Wakes one caller per fid, since all at once would compete for it.
        const [first] = this.#wakeUps
        return first?.()
      }
      log.warn({ walletId: order.walletId, reason: fid.message }, 'fid registration refused')
      await postpone(db, order.id, clock())
    } catch (error) {
      log.error({ err: error, walletId: order.walletId }, 'fid registration failed and will be retried')
      await postpone(db, order.id, clock()).catch(() => {})
    }
  }

  /**
   * Registers the fid of an order.
   *
   * @returns The fid, or a refusal.
   */
  async #register({ id, walletId }: FidOrder): Promise<number | Refusal> {
    const { db, vault, ledger, clock } = this.#options
    const holder = await openCustodyAccount(db, vault, id)
    const deadline = Math.floor(clock() / 1000) + AUTHORIZATION_SECONDS
    const nonce = await ledger.nonceOf('id gateway', holder.address)
    const authorization = registerAuthorization({
      to: holder.address,
      recovery: ZERO_ADDRESS,
      nonce,
      deadline,
    })
    const signature = await signAuthorization(authorization, holder)
    const result = await ledger.buy({
      walletId,
      purpose: `fid pool ${id}`,
      call: {
        kind: 'register',
        holder: { address: holder.address, deadline, signature },
        recovery: ZERO_ADDRESS,
        extraUnits: 0,
      },
    })
    if (!('code' in result)) return result.fid!
    // Only our signature registers this address, so a fid that it holds is the ordered one, no matter who paid.
    return (await ledger.fidOf(holder.address, 'finally')) ?? result
  }
}

/** Rejects when the work does; never resolves. */
function rejectionOf(work: Promise<void>): Promise<never> {
  return work.then(() => new Promise<never>(() => {}))
}
