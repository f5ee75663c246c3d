import { DeveloperManagedSigner } from '../../../graph/view/schema/signer.js'
import { presentDeveloperManagedSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { requestKeyApproval } from '../key-approval-request.js'
import { readSignedKeyRequest } from '../signed-key-request.js'
import { MESSAGE_KEY_TYPE } from '../signer-record.js'
import { keyRequestBody, requestDescription } from './key-request-body.js'
import { publicKeyParameter } from './public-key-parameter.js'
import { alreadyAnsweredText, otherAppsSignerText } from './signer-error-texts.js'

/** `POST signer/developer_managed/signed_key` */
export const developerManagedSignedKey = defineOperation({
  method: 'POST',
  path: 'signer/developer_managed/signed_key',
  tag: 'Signer',
  summary: 'Ask a user to approve a key that the developer holds',
  description: `What such a key signs is sent by \`POST message\`. ${requestDescription}`,
  body: keyRequestBody({ public_key: publicKeyParameter }, '`public_key`'),
  reply: DeveloperManagedSigner,
  forbidden: otherAppsSignerText,
  conflict: alreadyAnsweredText,

  async handle({ writerDb, network, clock, publicUrl }, { public_key, ...requestBody }, { appId }) {
    const key = Buffer.from(public_key.slice(2), 'hex')
    const namedKey = { appId, keyType: MESSAGE_KEY_TYPE, key, property: 'public_key' }
    const signerState = await requestKeyApproval(
      { db: writerDb, network, clock },
      namedKey,
      readSignedKeyRequest(requestBody),
    )
    return presentDeveloperManagedSigner(signerState, publicUrl())
  },
})
