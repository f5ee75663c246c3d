import { Type } from '@sinclair/typebox'
import { PlazaError } from '../../../platform/errors.js'
import type { OperationContext } from '../../operation.js'
import type { Accounts } from '../accounts.js'
import { findAppWallet, findWallet, type Wallet } from '../wallets/wallets.js'

/** Most characters of the header: all headers together have no more. A longer id is no wallet's. */
const MAX_HEADER_LENGTH = 16_384

/**
 * The header with the paying wallet. The parser takes its absence, which has an error code of its own; the document says that it is
 * required.
 */
export const walletHeaders = Type.Object({
  'x-wallet-id': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_HEADER_LENGTH,
      isDocumentedRequired: true,
      description: 'Id of the wallet that pays. The wallet must belong to the app of the API key.',
      examples: ['wallet-garden'],
    }),
  ),
})

/** Documentation of 404 and 402. */
export const unknownWallet = 'The app has no such wallet.'
export const insufficientFundsText = 'The balance of the wallet is too low.'

/** A wallet of the calling app, and the accounts service that spends from it. */
export interface PayingWallet {
  readonly accounts: Accounts
  readonly wallet: Wallet
}

/**
 * Finds the wallet that a request names.
 *
 * @throws PlazaError `bad_request.wallet_required`; `not_found.wallet`, also for a wallet of another app;
 * `not_configured`.
 */
export async function payingWallet(
  { accounts, writerDb }: Pick<OperationContext, 'accounts' | 'writerDb'>,
  headers: { readonly 'x-wallet-id'?: string },
  appId: string,
): Promise<PayingWallet> {
  const id = walletIdOf(headers)
  if (accounts === null)
    throw new PlazaError('not_configured', 'this server registers no accounts: no chain is configured')
  const wallet = await findWallet(writerDb, { id, appId, network: accounts.ledger.network })
  if (wallet === null) throw unknownWalletError()
  return { accounts, wallet }
}

/**
 * Finds the wallet that a request names, on any network: a key has the same address on every EVM chain.
 *
 * @throws PlazaError `bad_request.wallet_required`; `not_found.wallet`, also for a wallet of another app.
 */
export async function appWallet(
  { writerDb }: Pick<OperationContext, 'writerDb'>,
  headers: { readonly 'x-wallet-id'?: string },
  appId: string,
): Promise<Wallet> {
  const wallet = await findAppWallet(writerDb, { id: walletIdOf(headers), appId })
  if (wallet === null) throw unknownWalletError()
  return wallet
}

function walletIdOf(headers: { readonly 'x-wallet-id'?: string }): string {
  const id = headers['x-wallet-id']?.trim() ?? ''
  if (id === '') throw new PlazaError('bad_request.wallet_required', 'x-wallet-id header is required')
  return id
}

function unknownWalletError(): PlazaError {
  return new PlazaError('not_found.wallet', 'x-wallet-id must be the id of a wallet of this app')
}
