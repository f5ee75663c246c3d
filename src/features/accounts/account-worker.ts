import type { Database } from '../../platform/db/connection.js'
import { takeWorkerLock } from '../../platform/db/worker-lock.js'
import type { Log } from '../../platform/log/log.js'
import type { Accounts } from './accounts.js'
import { carryOutDirect, findAbandonedDirect } from './registration/direct-registration.js'
import { findAbandoned } from './registration/registration.js'
import { walletsToServe } from './shelf/orders.js'

/** What the worker is made of. */
export interface AccountWorkerOptions {
  /** For writes. */
  readonly db: Database
  /** A pool of one connection that does nothing else: it holds the lock that tells others that this process lives. */
  readonly own: Database
  readonly accounts: Accounts
  /** Names this process, for `registration.ts`. */
  readonly worker: string
  /** Unix milliseconds. */
  readonly clock: () => number
  readonly log: Log
}

/** How often the worker looks for what others have left; what it is told of it does at once. */
const LOOK_MS = 2_000
/** A registration that failed is gone on with after this. */
const PAUSE_SECONDS = 30
const MAX_AT_ONCE = 20

/**
 * Fills the shelf up, and goes on with what was left: purchases that were recorded, registrations whose process has
 * died. What is to be done stands in the tables, so that nothing of it is lost with a process.
 */
export class AccountWorker {
  readonly #options: AccountWorkerOptions
  readonly #stopping = new AbortController()
  #wake: () => void = () => {}
  #looking: Promise<void> = Promise.resolve()
  /** What was begun and takes as long as the network does: by its name, once at a time. */
  readonly #running = new Map<string, Promise<void>>()
  #isFailing = false

  constructor(options: AccountWorkerOptions) {
    this.#options = options
  }

  /** Begins to look. */
  async start(): Promise<void> {
    await takeWorkerLock(this.#options.own, this.#options.worker)
    this.#looking = this.#loop()
  }

  /** Looks now. */
  wake(): void {
    this.#wake()
  }

  /** Ends after what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#looking
    await Promise.all(this.#running.values())
    await this.#options.accounts.shelf.idle()
  }

  async #loop(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await this.#look()
      if (this.#stopping.signal.aborted) return
      const timer = setTimeout(() => this.#wake(), LOOK_MS)
      await woken
      clearTimeout(timer)
    }
  }

  async #look(): Promise<void> {
    const { own, worker, log } = this.#options
    try {
      // Once more after the connection, and the lock with it, were lost.
      await takeWorkerLock(own, worker)
      await this.#begin()
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) log.error({ err: error }, 'accounts could not be looked after')
      this.#isFailing = true
    }
  }

  async #begin(): Promise<void> {
    const { db, accounts, clock } = this.#options
    const { ledger, shelf, registrar } = accounts
    this.#run('purchases', () => ledger.settleOpen())
    for (const walletId of await walletsToServe(db, ledger.network, clock())) {
      this.#run(`shelf ${walletId}`, () => shelf.fill(walletId))
    }
    const pause = { nowMs: clock(), pauseSeconds: PAUSE_SECONDS, limit: MAX_AT_ONCE }
    for (const id of await findAbandonedDirect(db, pause)) {
      this.#run(`direct registration ${id}`, () => carryOutDirect({ db, ledger, clock }, id))
    }
    for (const id of await findAbandoned(db, pause)) {
      this.#run(`registration ${id}`, () => registrar.carryOut(id))
    }
  }

  #run(name: string, work: () => Promise<unknown>): void {
    if (this.#running.has(name)) return
    const { log } = this.#options
    const running = work()
      .then(() => {})
      .catch((error: unknown) => log.warn({ err: error, what: name }, 'this has to wait'))
      .finally(() => this.#running.delete(name))
    this.#running.set(name, running)
  }
}
