import { Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { DeveloperManagedAuthAddress } from '../../../graph/view/schema/signer.js'
import { presentAuthAddress } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { addressKey } from '../address-key.js'
import { findOwnKey } from '../key-approval-request.js'
import { AUTH_ADDRESS_KEY_TYPE } from '../signer-record.js'
import { otherAppsSignerText } from './signer-error-texts.js'

/** `GET auth_address/developer_managed` */
export const authAddressLookup = defineOperation({
  method: 'GET',
  path: 'auth_address/developer_managed',
  tag: 'Signer',
  summary: 'How an address that is to sign in for a user stands',
  query: Type.Object({ address: ethAddressParameter({ description: 'The address.' }) }),
  reply: DeveloperManagedAuthAddress,
  notFound: 'No app has asked for this address.',
  forbidden: otherAppsSignerText,

  async handle({ db, publicUrl }, { address }, { appId }) {
    const named = { appId, keyType: AUTH_ADDRESS_KEY_TYPE, key: addressKey(address), property: 'address' }
    return presentAuthAddress(await findOwnKey(db, named), publicUrl())
  },
})
