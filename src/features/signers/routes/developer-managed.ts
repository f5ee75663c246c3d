import { Type } from '@sinclair/typebox'
import { DeveloperManagedSigner } from '../../../graph/view/schema/signer.js'
import { presentDeveloperManagedSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { ownKey } from '../ask-for-key.js'
import { messageKey } from '../standing.js'
import { publicKeyParameter } from './public-key-parameter.js'
import { anotherApps } from './signer-refusals.js'

/** `GET signer/developer_managed` */
export const developerManagedSigner = defineOperation({
  method: 'GET',
  path: 'signer/developer_managed',
  tag: 'Signer',
  summary: 'How a key that the developer holds stands',
  query: Type.Object({ public_key: publicKeyParameter }),
  reply: DeveloperManagedSigner,
  notFound: 'No app has asked for this key.',
  forbidden: anotherApps,

  async handle({ db, publicUrl }, { public_key }, { appId }) {
    const key = Buffer.from(public_key.slice(2), 'hex')
    const standing = await ownKey(db, { appId, keyType: messageKey, key, property: 'public_key' })
    return presentDeveloperManagedSigner(standing, publicUrl())
  },
})
