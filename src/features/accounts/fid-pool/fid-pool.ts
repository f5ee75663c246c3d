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

/** What the shelf stands on. */
export interface FidPoolOptions {
  /** For writes. */
  readonly db: Database
  readonly vault: Vault
  readonly ledger: AccountLedger
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: Log
  /** Told that a wallet has taken a fid: somebody is to fill the gap. */
  readonly onTaken?: (walletId: string) => void
  /** How long a caller waits for a fid that is still being registered. */
  readonly waitMs?: number
}

/** The first call of a new wallet takes about a minute (docs/compatibility.md §21.1). */
const WAIT_MS = 90_000
const POLL_MS = 500
/** What the shelf signs for its own addresses is good for a day: a transaction may wait that long. */
const AUTHORIZATION_SECONDS = 24 * 60 * 60
const ZERO_ADDRESS = Buffer.alloc(20)

/** Fids that are registered before they are asked for. Any number of processes may hand out and fill up at once. */
export class FidPool {
  readonly #options: FidPoolOptions
  /** Of each wallet, how many callers wait here; what wakes each, in the order in which they came. */
  readonly #waitingCounts = new Map<string, number>()
  readonly #wakeUps = new Set<() => void>()
  /** Of each wallet, what is being filled up now, and is to be after that. */
  readonly #fills = new Map<string, { readonly now: Promise<void>; next: Promise<void> | null }>()

  constructor(options: FidPoolOptions) {
    this.#options = options
  }

  /**
   * A fid for ten minutes. Where the shelf is empty, the caller waits for one that is registered for it.
   *
   * @throws PlazaError `insufficient_funds`; `unavailable` when the network takes too long: ask again.
   */
  async take(wallet: Wallet): Promise<number> {
    const { db, ledger, clock, onTaken } = this.#options
    const availableFid = await takeFid(db, ledger, wallet, { nowMs: clock() })
    const fid = availableFid ?? (await this.#waitFor(wallet))
    onTaken?.(wallet.id)
    return fid
  }

  /** Orders what a wallet lacks, and registers what was ordered. Calls that come meanwhile share the next time. */
  fill(walletId: string): Promise<void> {
    const fills = this.#fills.get(walletId)
    if (fills === undefined) return this.#startFill(walletId)
    fills.next ??= fills.now.catch(() => {}).then(() => this.#startFill(walletId))
    return fills.next
  }

  /** Resolves when nothing is being filled up any more. */
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
      // Not while it is counted: what it takes counts as held from then on, and would be ordered twice.
      const fid = await takeFid(db, ledger, wallet, { nowMs: clock(), isWaiting: true })
      if (fid !== null) return fid
    }
    throw new PlazaError('unavailable', 'the fid is still being registered: ask again')
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

  /** The next fid that comes onto the shelf here and is nobody else's to look at; or some time, since others fill it, too. */
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

  /** An order that fails waits for its next time, and holds up no other. */
  async #runOrder(order: FidOrder): Promise<void> {
    const { db, clock, log } = this.#options
    try {
      const fid = await this.#register(order)
      if (typeof fid === 'number') {
        await addToPool(db, order.id, fid)
        // One caller for each fid: all at once would get in each other's way.
        const [first] = this.#wakeUps
        return first?.()
      }
      log.warn({ walletId: order.walletId, reason: fid.message }, 'a fid could not be registered')
      await postpone(db, order.id, clock())
    } catch (error) {
      log.error({ err: error, walletId: order.walletId }, 'the registration of a fid has to wait')
      await postpone(db, order.id, clock()).catch(() => {})
    }
  }

  /** @returns The fid, or why there is none. */
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
    // Nobody can register for this address but with what we have signed: should it have a fid, whoever has paid for it,
    // it is the one that was ordered.
    return (await ledger.fidOf(holder.address, 'finally')) ?? result
  }
}

/** Fails when the work does, and waits for ever when it succeeds. */
function rejectionOf(work: Promise<void>): Promise<never> {
  return work.then(() => new Promise<never>(() => {}))
}
