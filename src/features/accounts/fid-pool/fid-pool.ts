import type { Database } from '../../../platform/db/connection.js'
import { SECOND_MS } from '../../../platform/durations.js'
import { isRefusal, PlazaError, type Refusal } from '../../../platform/errors.js'
import type { Log } from '../../../platform/log/log.js'
import type { Vault } from '../../../platform/vault/vault.js'
import type { AccountLedger } from '../ledger/account-ledger.js'
import { authorize, registerAuthorization } from '../ledger/signed-authorizations.js'
import type { Wallet } from '../wallets/wallets.js'
import {
  addToPool,
  dueOrders,
  expedite,
  openCustodyAccount,
  orderFids,
  postpone,
  walletsWithDueOrders,
} from './fid-orders.js'
import { takeFid } from './take-fid.js'

/** Dependencies of the fid pool. */
export interface FidPoolOptions {
  readonly db: Database
  readonly vault: Vault
  readonly ledger: AccountLedger
  /** For the validity of signatures and of storage, in Unix milliseconds. Holds and retries go by the clock of the database. */
  readonly clock: () => number
  readonly log: Log
  /** Called when a wallet has taken a fid, which must be replaced. */
  readonly onTaken?: (walletId: string) => void
}

/** The first call of a new wallet takes about a minute (docs/compatibility.md §21.1). */
const WAIT_MS = 90_000
const POLL_MS = 500
const ZERO_ADDRESS = Buffer.alloc(20)

/** Fids registered in advance. Any number of processes may take and fill concurrently. */
export class FidPool {
  readonly #options: FidPoolOptions
  /** Wallets of the callers that wait in this process, and their wake-up functions in order. */
  readonly #waitingWallets: string[] = []
  readonly #wakeUps = new Set<() => void>()
  /** The running and the next fill by wallet. */
  readonly #fills = new Map<string, { readonly now: Promise<void>; next: Promise<void> | null }>()

  constructor(options: FidPoolOptions) {
    this.#options = options
  }

  /**
   * Takes a fid for ten minutes; waits for a registration when the pool is empty.
   *
   * @param untilMs When the caller must have it, in milliseconds of `performance.now()`: before the deadline of its request. A fid
   * that is there later is for the next caller.
   * @throws PlazaError `insufficient_funds`; `unavailable` when the network takes too long: call again.
   */
  async take(wallet: Wallet, untilMs = performance.now() + WAIT_MS): Promise<number> {
    const { db, ledger, onTaken } = this.#options
    const pooled = await takeFid(db, ledger, wallet, { untilMs, nowSeconds: this.#nowSeconds() })
    const fid = pooled ?? (await this.#waitFor(wallet, untilMs))
    onTaken?.(wallet.id)
    return fid
  }

  /** Lists the wallets that have something to order or to register. */
  async dueWallets(): Promise<string[]> {
    const { db, ledger } = this.#options
    return await walletsWithDueOrders(db, ledger.network, this.#nowSeconds())
  }

  #nowSeconds(): number {
    return Math.floor(this.#options.clock() / SECOND_MS)
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

  async #waitFor(wallet: Wallet, untilMs: number): Promise<number> {
    const { db, ledger } = this.#options
    const restMs = () => untilMs - performance.now()
    await expedite(db, wallet.id)
    while (restMs() > 0) {
      this.#waitingWallets.push(wallet.id)
      const pooled = this.#nextPooled(Math.min(POLL_MS, restMs()))
      await Promise.race([pooled, rejectionOf(this.fill(wallet.id))]).finally(() =>
        this.#waitingWallets.splice(this.#waitingWallets.indexOf(wallet.id), 1),
      )
      if (restMs() <= 0) break
      // Not counted as waiting while it takes: its fid would be ordered twice.
      const fid = await takeFid(db, ledger, wallet, {
        untilMs,
        nowSeconds: this.#nowSeconds(),
        isWaiting: true,
      })
      if (fid !== null) return fid
    }
    throw new PlazaError('unavailable', 'the fid is still being registered: try again')
  }

  /**
   * Resolves when this process adds a fid that no other caller was woken for, or after `ms`, since other
   * processes fill the pool too.
   */
  #nextPooled(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const call = () => {
        clearTimeout(timer)
        this.#wakeUps.delete(call)
        resolve()
      }
      const timer = setTimeout(call, ms)
      this.#wakeUps.add(call)
    })
  }

  async #fillNow(walletId: string): Promise<void> {
    const { db, vault } = this.#options
    const waitingCount = () => this.#waitingWallets.filter((id) => id === walletId).length
    await orderFids(db, vault, { walletId, nowSeconds: this.#nowSeconds(), waitingCount })
    const orders = await dueOrders(db, walletId)
    await Promise.all(orders.map((id) => this.#runOrder(id, walletId)))
  }

  /** Runs an order. A failure postpones it and does not stop others. */
  async #runOrder(id: string, walletId: string): Promise<void> {
    const { db, log } = this.#options
    try {
      const fid = await this.#register(id, walletId)
      if (typeof fid === 'number') {
        await addToPool(db, id, fid)
        // Wakes one caller per fid, since all at once would compete for it.
        const [first] = this.#wakeUps
        return first?.()
      }
      log.warn({ walletId, reason: fid.message }, 'fid registration refused')
      await postpone(db, id)
    } catch (error) {
      log.error({ err: error, walletId }, 'fid registration failed and will be retried')
      await postpone(db, id).catch(() => {})
    }
  }

  /** Registers the fid of an order; returns it, or a refusal. */
  async #register(id: string, walletId: string): Promise<number | Refusal> {
    const { db, vault, ledger, clock } = this.#options
    const recovery = ZERO_ADDRESS
    const account = await openCustodyAccount(db, vault, id)
    const { address } = account
    const signing = { contract: 'id gateway', holder: account, nowMs: clock() } as const
    const holder = await authorize(ledger, signing, (validity) =>
      registerAuthorization({ to: address, recovery, ...validity }),
    )
    const call = { kind: 'register', holder, recovery, extraUnits: 0 } as const
    const result = await ledger.buy({ walletId, purpose: `fid pool ${id}`, call })
    if (!isRefusal(result)) return result.fid!
    // Only our signature registers this address, so a fid that it holds is the ordered one, no matter who paid.
    return (await ledger.fidOf(address, 'finally')) ?? result
  }
}

/** Rejects when the work does; never resolves. */
function rejectionOf(work: Promise<void>): Promise<never> {
  return work.then(() => new Promise<never>(() => {}))
}
