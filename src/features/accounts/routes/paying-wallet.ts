import { Type } from '@sinclair/typebox'
import { PlazaError } from '../../../platform/errors.js'
import type { OperationContext } from '../../operation.js'
import type { Accounts } from '../accounts.js'
import { findWallet, type Wallet } from '../wallets/wallets.js'

const MAX_ID_LENGTH = 128

/** The header that names who pays. A missing one has a code of its own, so it is looked for in the operation. */
export const walletHeaders = Type.Object({
  'x-wallet-id': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ID_LENGTH,
      description: 'Required: the wallet that pays. It belongs to the app whose API key is sent.',
    }),
  ),
})

/** What is said of 404 and 402, for the documentation. */
export const unknownWallet = 'The app has no such wallet.'
export const insufficientFundsText = 'The wallet has too little to pay for it.'

/** A wallet, and what it may pay for. */
export interface PayingWallet {
  readonly accounts: Accounts
  readonly wallet: Wallet
}

/**
 * The wallet that a request names.
 *
 * @throws PlazaError `bad_request.wallet_required`; `not_found.wallet` for another app's, too; `not_configured`.
 */
export async function payingWallet(
  { accounts, writerDb }: Pick<OperationContext, 'accounts' | 'writerDb'>,
  headers: { readonly 'x-wallet-id'?: string },
  appId: string,
): Promise<PayingWallet> {
  const id = headers['x-wallet-id']?.trim() ?? ''
  if (id === '') throw new PlazaError('bad_request.wallet_required', 'x-wallet-id header is required')
  if (accounts === null) {
    throw new PlazaError('not_configured', 'this server registers no accounts: it has no chain to do it on')
  }
  const wallet = await findWallet(writerDb, { id, appId, network: accounts.ledger.network })
  if (wallet === null) {
    throw new PlazaError('not_found.wallet', 'x-wallet-id must be the id of a wallet of this app')
  }
  return { accounts, wallet }
}
