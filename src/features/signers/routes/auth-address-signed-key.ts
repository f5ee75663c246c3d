import { ethAddressParameter } from '../../../api/parameters.js'
import { DeveloperManagedAuthAddress } from '../../../graph/view/schema/signer.js'
import { presentAuthAddress } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { addressKey } from '../address-key.js'
import { requestKeyApproval } from '../key-approval-request.js'
import { readSignedKeyRequest } from '../signed-key-request.js'
import { AUTH_ADDRESS_KEY_TYPE } from '../signer-record.js'
import { keyRequestBody, requestDescription } from './key-request-body.js'
import { alreadyAnsweredText, otherAppsSignerText } from './signer-error-texts.js'

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
