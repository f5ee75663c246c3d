import { Type } from '@sinclair/typebox'
import { DeveloperManagedSigner } from '../../../graph/view/schema/signer.js'
import { presentDeveloperManagedSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { findOwnKey } from '../key-approval-request.js'
import { MESSAGE_KEY_TYPE } from '../signer-record.js'
import { publicKeyParameter } from './public-key-parameter.js'
import { otherAppsSignerText } from './signer-error-texts.js'

/** `GET signer/developer_managed` */
export const developerManagedSigner = defineOperation({
  method: 'GET',
  path: 'signer/developer_managed',
  tag: 'Signer',
  summary: 'How a key that the developer holds stands',
  query: Type.Object({ public_key: publicKeyParameter }),
  reply: DeveloperManagedSigner,
  notFound: 'No app has asked for this key.',
  forbidden: otherAppsSignerText,

  async handle({ db, publicUrl }, { public_key }, { appId }) {
    const key = Buffer.from(public_key.slice(2), 'hex')
    const signerState = await findOwnKey(db, {
      appId,
      keyType: MESSAGE_KEY_TYPE,
      key,
      property: 'public_key',
    })
    return presentDeveloperManagedSigner(signerState, publicUrl())
  },
})
