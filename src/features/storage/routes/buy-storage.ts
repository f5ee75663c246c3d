import { randomUUID } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { StorageAllocationsResponse } from '../../../graph/view/schema/storage.js'
import { PlazaError } from '../../../platform/errors.js'
import {
  insufficientFundsText,
  payingWallet,
  unknownWallet,
  walletHeaders,
} from '../../accounts/routes/paying-wallet.js'
import { defineOperation } from '../../operation.js'
import { idemConflict, idemMember } from '../../publishing/routes/acting.js'
import { allocationsOf, storageUser, unknownUser } from './storage.js'

/** More is a slip of the hand: at the price of the real contracts it is thousands of dollars. */
const MAX_UNITS = 1_000

/** What storage is bought, as the published client sends it. */
export const BuyStorageReqBody = Type.Object({
  fid: fidParameter({ description: 'For whom.' }),
  units: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_UNITS,
      description: 'How many units, each for a year; 1 unless told.',
    }),
  ),
  idem: idemMember,
})

/** `POST storage/buy` */
export const buyStorage = defineOperation({
  method: 'POST',
  path: 'storage/buy',
  tag: 'Storage',
  summary: 'Rent storage for a user',
  description: [
    'The wallet pays. Whoever repeats the request with the same `idem` pays once; without one, every request rents more.',
    'The answer is what the user has then, as of `storage/allocations`.',
  ].join(' '),
  body: BuyStorageReqBody,
  headers: walletHeaders,
  reply: StorageAllocationsResponse,
  notFound: `${unknownWallet} Or: ${unknownUser}`,
  paymentRequired: insufficientFundsText,
  conflict: idemConflict,

  async handle(context, { fid, units = 1, idem = randomUUID() }, { appId }, headers) {
    const { accounts, wallet } = await payingWallet(context, headers, appId)
    await storageUser(context.hydrator, fid)
    const bought = await accounts.ledger.buy({
      walletId: wallet.id,
      purpose: `storage ${appId} ${idem}`,
      requestKey: JSON.stringify([wallet.id, fid, units]),
      call: { kind: 'rent', fid, units },
    })
    if ('code' in bought) throw new PlazaError(bought.code, bought.message)
    return await allocationsOf({ ...context, db: context.writerDb }, fid)
  },
})
