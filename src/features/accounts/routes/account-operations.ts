import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { validateFname } from '../../../protocol/kinds/username.js'
import { defineOperation, type Operation } from '../../operation.js'
import { isNameFree } from '../registration/registration.js'
import { FnameAvailabilityResponse, UserFIDResponse } from '../schema/account.js'
import { insufficientFundsText, payingWallet, unknownWallet, walletHeaders } from './paying-wallet.js'
import { registerDirect } from './register-direct.js'
import { registerUser } from './register-user.js'

/** Time to reply before the limit of the request, after which a fid would be held for nobody (docs/compatibility.md §21.1). */
const MAX_WAIT_MS = 90_000
const MAX_REQUEST_MS = 120_000

const freshFid = defineOperation({
  method: 'GET',
  usesPrimary: true,
  isChange: true,
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
  longWait: { limitMs: MAX_REQUEST_MS, reason: 'a fid to be bought, when the pool is empty' },
  reply: UserFIDResponse,
  notFound: unknownWallet,
  paymentRequired: insufficientFundsText,

  async handle(context, _query, { appId }, headers) {
    const untilMs = performance.now() + MAX_WAIT_MS
    const { accounts, wallet } = await payingWallet(context, headers, appId)
    return { fid: await accounts.fidPool.take(wallet, untilMs) }
  },
})

export const fnameAvailability = defineOperation({
  method: 'GET',
  path: 'fname/availability',
  isPublic: true,
  tag: 'Users',
  summary: 'Check fname availability',
  description:
    'A name is available if it can be registered (1 to 16 letters, digits and hyphens, no hyphen first), no user ' +
    'holds it, or its holder released it, and no registration in progress uses it. Holders are those that this server ' +
    'knows: not all of them before the names of the network are read, or where a part of it is copied.',
  query: Type.Object({
    fname: textParameter({
      maxLength: 256,
      description: 'Name without `@`. Case does not matter.',
      examples: ['alice'],
    }),
  }),
  reply: FnameAvailabilityResponse,

  async handle({ db }, { fname }) {
    const name = fname.toLowerCase()
    return { available: validateFname(name) === null && (await isNameFree(db, name)) }
  },
})

/** Registration of accounts, paid by wallets of apps. */
export const accountOperations: readonly Operation[] = [freshFid, registerUser, registerDirect]
