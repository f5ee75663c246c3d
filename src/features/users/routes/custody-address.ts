import { Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { findFidByCustody } from '../../../graph/query/users.js'
import { UserResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'
import { requireUser } from './require-user.js'

/** `GET user/custody-address` */
export const userByCustodyAddress = defineOperation({
  method: 'GET',
  path: 'user/custody-address',
  tag: 'User',
  summary: 'The user that an address holds',
  description: 'The last one that was registered, if the address holds several.',
  query: Type.Object({
    custody_address: ethAddressParameter({ description: 'The address that holds the fid on chain.' }),
  }),
  reply: UserResponse,
  notFound: 'The address holds no user.',

  async handle({ db, hydrator }, { custody_address }) {
    const address = Buffer.from(custody_address.slice(2), 'hex')
    return await requireUser(hydrator, await findFidByCustody(db, address), {
      property: 'custody_address',
      missing: `${custody_address} holds no user`,
    })
  },
})
