import { ethAddressParameter } from '../../../api/parameters.js'
import { DeveloperManagedAuthAddress } from '../../../graph/view/schema/signer.js'
import { presentAuthAddress } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { addressKey } from '../address-key.js'
import { askForKey } from '../ask-for-key.js'
import { readKeyAsked } from '../key-asked.js'
import { authAddress } from '../standing.js'
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
