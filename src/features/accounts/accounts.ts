import { FidPool, type FidPoolOptions } from './fid-pool/fid-pool.js'
import type { AccountLedger } from './ledger/account-ledger.js'
import { type AccountServices, Registrar } from './registration/registrar.js'

/** Registers accounts that apps' wallets pay for. */
export interface Accounts {
  readonly ledger: AccountLedger
  readonly fidPool: FidPool
  readonly registrar: Registrar
}

/** Dependencies of account registration. */
export interface AccountsOptions extends FidPoolOptions {
  readonly services: AccountServices
  /** UUID of this process. */
  readonly worker: string
}

/** Creates the fid pool and the registrar on top of it. */
export function createAccounts(options: AccountsOptions): Accounts {
  return { ledger: options.ledger, fidPool: new FidPool(options), registrar: new Registrar(options) }
}
