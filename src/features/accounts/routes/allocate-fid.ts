import { Type } from '@sinclair/typebox'
import { UserFIDResponse } from '../../../graph/view/schema/account.js'
import { defineOperation } from '../../operation.js'
import { insufficientFundsText, payingWallet, unknownWallet, walletHeaders } from './paying-wallet.js'

/** `GET user/fid` */
export const freshFid = defineOperation({
  method: 'GET',
  path: 'user/fid',
  tag: 'Users',
  summary: 'Fetch fresh fid',
  description:
    'Reserves a registered fid for the wallet for ten minutes. Register the account within that time with ' +
    '`POST user` and the same `x-wallet-id`; afterwards the fid goes to the next caller. The wallet pays ' +
    'for the fid that replaces it in the pool. The first call of a new wallet may take as long as a ' +
    'registration on chain; later calls reply at once.',
  query: Type.Object({}),
  headers: walletHeaders,
  reply: UserFIDResponse,
  notFound: unknownWallet,
  paymentRequired: insufficientFundsText,

  async handle(context, _query, { appId }, headers) {
    const { accounts, wallet } = await payingWallet(context, headers, appId)
    return { fid: await accounts.fidPool.take(wallet) }
  },
})
