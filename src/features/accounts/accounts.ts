import type { AccountLedger } from './ledger/account-ledger.js'
import { type AccountDetails, Registrar } from './registration/registrar.js'
import { Shelf, type ShelfOptions } from './shelf/shelf.js'

/** Accounts for users, paid for by wallets of apps. */
export interface Accounts {
  readonly ledger: AccountLedger
  readonly shelf: Shelf
  readonly registrar: Registrar
}

/** What accounts stand on. */
export interface AccountsOptions extends ShelfOptions {
  readonly details: AccountDetails
  /** Names this process: a UUID. */
  readonly worker: string
}

/** Puts the shelf and what becomes of it together. */
export function createAccounts(options: AccountsOptions): Accounts {
  return { ledger: options.ledger, shelf: new Shelf(options), registrar: new Registrar(options) }
}
