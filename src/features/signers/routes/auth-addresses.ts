import { Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { DeveloperManagedAuthAddress } from '../../../graph/view/schema/signer.js'
import { presentAuthAddress } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { addressKey } from '../address-key.js'
import { findOwnKey, requestKeyApproval } from '../key-approval-request.js'
import { readSignedKeyRequest } from '../signed-key-request.js'
import { AUTH_ADDRESS_KEY_TYPE } from '../signer-record.js'
import {
  alreadyAnsweredText,
  keyRequestBody,
  otherAppsSignerText,
  requestDescription,
} from './key-request-body.js'

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

/** `POST auth_address/developer_managed/signed_key` */
export const authAddressSignedKey = defineOperation({
  method: 'POST',
  path: 'auth_address/developer_managed/signed_key',
  tag: 'Signer',
  summary: 'Ask a user to let an address sign in for them',
  description: requestDescription,
  body: keyRequestBody(
    {
      address: ethAddressParameter({
        description: 'The address. One that an app has asked for is that app’s.',
      }),
    },
    '`address` as an ABI word of 32 bytes',
  ),
  reply: DeveloperManagedAuthAddress,
  forbidden: otherAppsSignerText,
  conflict: alreadyAnsweredText,

  async handle({ writerDb, network, clock, publicUrl }, { address, ...requestBody }, { appId }) {
    const namedAddress = {
      appId,
      keyType: AUTH_ADDRESS_KEY_TYPE,
      key: addressKey(address),
      property: 'address',
    }
    const signerState = await requestKeyApproval(
      { db: writerDb, network, clock },
      namedAddress,
      readSignedKeyRequest(requestBody),
    )
    return presentAuthAddress(signerState, publicUrl())
  },
})
