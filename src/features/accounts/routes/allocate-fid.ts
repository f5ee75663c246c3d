import { Type } from '@sinclair/typebox'
import { UserFIDResponse } from '../../../graph/view/schema/account.js'
import { defineOperation } from '../../operation.js'
import { insufficientFundsText, payingWallet, unknownWallet, walletHeaders } from './paying-wallet.js'

/** `GET user/fid` */
export const freshFid = defineOperation({
  method: 'GET',
  path: 'user/fid',
  tag: 'User',
  summary: 'Fetch a fid for a new account',
  description: [
    'The fid is registered already, and is held for the wallet for ten minutes: register the account with `POST user` and',
    'the same `x-wallet-id` in this time. After that it goes to the next caller. The wallet pays for another fid in the',
    'place of this one. The first call of a new wallet may wait for its first fid to be registered, which takes as long',
    'as the chain does; later ones are answered at once.',
  ].join(' '),
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
