import { FidPool, type FidPoolOptions } from './fid-pool/fid-pool.js'
import type { AccountLedger } from './ledger/account-ledger.js'
import { type AccountServices, Registrar } from './registration/registrar.js'

/** Accounts for users, paid for by wallets of apps. */
export interface Accounts {
  readonly ledger: AccountLedger
  readonly fidPool: FidPool
  readonly registrar: Registrar
}

/** What accounts stand on. */
export interface AccountsOptions extends FidPoolOptions {
  readonly services: AccountServices
  /** Names this process: a UUID. */
  readonly worker: string
}

/** Puts the shelf and what becomes of it together. */
export function createAccounts(options: AccountsOptions): Accounts {
  return { ledger: options.ledger, fidPool: new FidPool(options), registrar: new Registrar(options) }
}
