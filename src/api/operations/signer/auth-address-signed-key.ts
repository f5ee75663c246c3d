import { addressKey } from '../../../signers/address-key.js'
import { askForKey } from '../../../signers/ask-for-key.js'
import { readKeyAsked } from '../../../signers/key-asked.js'
import { authAddress } from '../../../signers/standing.js'
import { DeveloperManagedAuthAddress } from '../../../views/schema/signer.js'
import { presentAuthAddress } from '../../../views/signer.js'
import { defineOperation } from '../../operation.js'
import { ethAddressParameter } from '../../parameters.js'
import { keyRequestBody, requestDescription } from './key-request-body.js'
import { anotherApps, answeredAlready } from './signer-refusals.js'

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
  forbidden: anotherApps,
  conflict: answeredAlready,

  async handle({ writerDb, network, clock, publicUrl }, { address, ...asked }, { appId }) {
    const named = { appId, keyType: authAddress, key: addressKey(address), property: 'address' }
    const standing = await askForKey({ db: writerDb, network, clock }, named, readKeyAsked(asked))
    return presentAuthAddress(standing, publicUrl())
  },
})
