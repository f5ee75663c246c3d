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

/** More is likely a mistake: at the prices of the real contracts it costs thousands of dollars. */
const MAX_UNITS = 1_000

/** The body of `POST storage/buy`, as published clients send it. */
export const BuyStorageReqBody = Type.Object({
  fid: fidParameter({ description: 'Fid of the user.' }),
  units: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_UNITS,
      description: 'Number of units, by default 1. Each lasts a year.',
    }),
  ),
  idem: idemMember,
})

/** `POST storage/buy` */
export const buyStorage = defineOperation({
  method: 'POST',
  path: 'storage/buy',
  tag: 'Storage',
  summary: 'Buy storage for user',
  description:
    'Rents storage units, paid by the wallet, and returns the allocations of the user afterwards, as ' +
    '`storage/allocations` does. Requests with the same `idem` pay once; without it, each request rents ' +
    'more.',
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
