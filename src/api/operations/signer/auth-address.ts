import { Type } from '@sinclair/typebox'
import { addressKey } from '../../../signers/address-key.js'
import { ownKey } from '../../../signers/ask-for-key.js'
import { authAddress } from '../../../signers/standing.js'
import { DeveloperManagedAuthAddress } from '../../../views/schema/signer.js'
import { presentAuthAddress } from '../../../views/signer.js'
import { defineOperation } from '../../operation.js'
import { ethAddressParameter } from '../../parameters.js'
import { anotherApps } from './signer-refusals.js'

/** `GET auth_address/developer_managed` */
export const authAddressLookup = defineOperation({
  method: 'GET',
  path: 'auth_address/developer_managed',
  tag: 'Signer',
  summary: 'How an address that is to sign in for a user stands',
  query: Type.Object({ address: ethAddressParameter({ description: 'The address.' }) }),
  reply: DeveloperManagedAuthAddress,
  notFound: 'No app has asked for this address.',
  forbidden: anotherApps,

  async handle({ db, publicUrl }, { address }, { appId }) {
    const named = { appId, keyType: authAddress, key: addressKey(address), property: 'address' }
    return presentAuthAddress(await ownKey(db, named), publicUrl())
  },
})
