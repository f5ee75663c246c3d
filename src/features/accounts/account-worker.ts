import type { Database } from '../../platform/db/connection.js'
import { takeWorkerLock } from '../../platform/db/worker-lock.js'
import { reportFirstFailure } from '../../platform/log/first-failure.js'
import type { Log } from '../../platform/log/log.js'
import { pause } from '../../platform/process/pause.js'
import type { Accounts } from './accounts.js'
import {
  findAbandonedDirectRegistrations,
  retryDirectRegistration,
} from './registration/direct-registration.js'
import { findAbandonedRegistrations } from './registration/registration.js'

/** Dependencies of the account worker. */
export interface AccountWorkerOptions {
  readonly db: Database
  /** A pool of one connection that holds the lock by which others see that this process lives. */
  readonly lockDb: Database
  readonly accounts: Accounts
  /** UUID of this process, as in `registration.ts`. */
  readonly worker: string
  readonly log: Log
}

/** Milliseconds between polls for work of other processes; own work starts at once. */
const POLL_MS = 2_000
/** Delay before a failed registration is retried. */
const PAUSE_MS = 30_000
const MAX_REGISTRATIONS = 20

/**
 * Fills the fid pool and continues unfinished work: recorded purchases, and registrations of dead processes.
 *
 * The tables hold all of it, so nothing is lost with a process.
 */
export class AccountWorker {
  readonly #options: AccountWorkerOptions
  #isStopped = false
  /** Ends the pause before the next poll. */
  #nextPoll = new AbortController()
  #pollLoop: Promise<void> = Promise.resolve()
  /** Running tasks by name, one of each at a time. */
  readonly #running = new Map<string, Promise<void>>()

  constructor(options: AccountWorkerOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await takeWorkerLock(this.#options.lockDb, this.#options.worker)
    this.#pollLoop = this.#loop()
  }

  wakeUp(): void {
    this.#nextPoll.abort()
  }

  /** Stops after the running tasks. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.wakeUp()
    await this.#pollLoop
    await Promise.all(this.#running.values())
    await this.#options.accounts.fidPool.idle()
  }

  async #loop(): Promise<void> {
    const { lockDb, worker, log } = this.#options
    const poll = reportFirstFailure(
      async () => {
        // Takes the lock again after the connection was lost.
        await takeWorkerLock(lockDb, worker)
        await this.#startDueWork()
      },
      (error) => log.error({ err: error }, 'account worker poll failed'),
    )
    while (!this.#isStopped) {
      this.#nextPoll = new AbortController()
      await poll()
      if (!this.#isStopped) await pause(POLL_MS, this.#nextPoll.signal)
    }
  }

  async #startDueWork(): Promise<void> {
    const { db, accounts, worker } = this.#options
    const { ledger, fidPool, registrar } = accounts
    this.#runOnce('purchases', () => ledger.settlePending())
    for (const walletId of await fidPool.dueWallets()) {
      this.#runOnce(`fid pool ${walletId}`, () => fidPool.fill(walletId))
    }
    const abandoned = { idleMs: PAUSE_MS, limit: MAX_REGISTRATIONS }
    for (const id of await findAbandonedDirectRegistrations(db, abandoned)) {
      this.#runOnce(`direct registration ${id}`, () => retryDirectRegistration({ db, ledger }, id))
    }
    for (const id of await findAbandonedRegistrations(db, {
      ...abandoned,
      worker,
      running: registrar.running,
    })) {
      this.#runOnce(`registration ${id}`, () => registrar.complete(id))
    }
  }

  #runOnce(name: string, work: () => Promise<unknown>): void {
    if (this.#running.has(name)) return
    const { log } = this.#options
    const running = work()
      .then(() => {})
      .catch((error: unknown) => log.warn({ err: error, task: name }, 'task failed and will be retried'))
      .finally(() => this.#running.delete(name))
    this.#running.set(name, running)
  }
}
