import { randomUUID } from 'node:crypto'
import { AccountWorker } from '../../src/features/accounts/account-worker.js'
import { type Accounts, createAccounts } from '../../src/features/accounts/accounts.js'
import { acceptRegistration } from '../../src/features/accounts/registration/registration.js'
import { newAccount, registrationRequest } from '../../src/features/accounts/testing/new-account.js'
import type { Wallet } from '../../src/features/accounts/wallets/wallets.js'
import { testVault } from '../../src/features/signers/testing/approved-signer.js'
import type { Database } from '../../src/platform/db/connection.js'
import { silentLog } from '../../src/platform/log/log.js'
import type { TestDatabase } from '../database.js'
import { testKey } from '../network.js'
import { type AccountChainParts, bytesOf, ledgerOn } from './account-chain.js'

/** Dependencies of an account server. */
export interface AccountServerParts extends Omit<AccountChainParts, 'db'> {
  readonly database: TestDatabase
  /** URLs of its RPCs, separated by commas. */
  readonly urls: string
  readonly confirmations: number
  readonly stuckMs: number
}

/** A registration without a name and a profile. */
export interface AccountRequest {
  readonly fid: number
  readonly wallet: Wallet
  /** True if the user's signature is valid. */
  readonly isSigned: boolean
  readonly hasSigner: boolean
}

const POOL_SIZE = 6
const NEVER = 4_000_000_000
const countedWrites = /^\s*(insert|update|delete|with)\b/i

/** The account part of a server. It ends like a killed process: at once, at any point. */
export class AccountServer {
  readonly accounts: Accounts
  readonly #db: Database
  readonly #lockDb: Database
  readonly #worker: AccountWorker
  readonly #ending = new AbortController()
  #writesLeft = Number.POSITIVE_INFINITY
  #ended: Promise<unknown> | null = null

  constructor({ database, urls, clock, hub, ...options }: AccountServerParts) {
    this.#db = database.connect({ poolSize: POOL_SIZE, onStatement: (sql) => this.#count(sql) })
    this.#lockDb = database.connect({ poolSize: 1 })
    const db = this.#db
    const ledger = ledgerOn(urls, { db, hub, clock }, { ...options, signal: this.#ending.signal })
    const worker = randomUUID()
    const details = { assignName: async () => null, publishProfile: async () => [] }
    this.accounts = createAccounts({
      db,
      vault: testVault,
      ledger,
      services: details,
      worker,
      clock,
      log: silentLog,
    })
    const parts = { db, lockDb: this.#lockDb, accounts: this.accounts, worker, log: silentLog }
    this.#worker = new AccountWorker(parts)
  }

  get isDead(): boolean {
    return this.#ended !== null
  }

  /** Starts its worker. */
  async start(): Promise<this> {
    await this.#worker.start()
    return this
  }

  /** Makes it look for open work. */
  wake(): void {
    this.#worker.wakeUp()
  }

  /** Kills it at one of its next writes: before or after the write. */
  killAfter(count: number): void {
    this.#writesLeft = count
  }

  /** Kills it. Statements that it has sent may run or not, and it gets no reply. */
  kill(): void {
    if (this.#ended !== null) return
    this.#ending.abort()
    const pools = [this.#db.end({ timeout: 0 }), this.#lockDb.end({ timeout: 0 })]
    this.#ended = Promise.allSettled([...pools, this.#worker.stop()])
  }

  /** Resolves when it has released all resources. */
  async ended(): Promise<void> {
    await this.#ended
  }

  /** Registers an account like `POST user`, until it is done. @throws like it. */
  async register({ fid, wallet, isSigned, hasSigner }: AccountRequest): Promise<void> {
    const nonce = isSigned ? 0n : 1n
    const asked = await registrationRequest(newAccount(), { fid, deadline: NEVER, nonce })
    const registration = {
      fid,
      walletId: wallet.id,
      appId: wallet.appId,
      digest: Buffer.alloc(32),
      custodyAddress: bytesOf(asked.requested_user_custody_address),
      signature: bytesOf(asked.signature),
      deadline: asked.deadline,
      fname: null,
      profile: null,
      signer: hasSigner
        ? { id: randomUUID(), key: Buffer.from(testKey(randomUUID()).publicKey), metadata: null }
        : null,
    }
    const id = await acceptRegistration(this.#db, registration)
    await this.accounts.registrar.complete(id)
  }

  #count(sql: string): void {
    if (!countedWrites.test(sql)) return
    this.#writesLeft -= 1
    if (this.#writesLeft < 0) this.kill()
    else if (this.#writesLeft < 1) setImmediate(() => this.kill())
  }
}
