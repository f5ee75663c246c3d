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
  tag: 'Signers',
  summary: 'Lookup auth address status',
  description:
    'Returns the state of an auth address that this app has requested: `pending_approval`, `approved` ' +
    'with the user’s `fid`, or `revoked`.',
  query: Type.Object({ address: ethAddressParameter({ description: 'Ethereum address.' }) }),
  reply: DeveloperManagedAuthAddress,
  notFound: 'No app has requested this address.',
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
  tag: 'Signers',
  summary: 'Register signed key for an auth address',
  description: `Requests that a user lets an Ethereum address sign in for them. ${requestDescription}`,
  body: keyRequestBody(
    {
      address: ethAddressParameter({
        description: 'Ethereum address. Once an app has requested it, other apps cannot.',
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
