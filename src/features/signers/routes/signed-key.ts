import { textParameter } from '../../../api/parameters.js'
import { Signer } from '../../../graph/view/schema/signer.js'
import { presentSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { requestSignerApproval } from '../key-approval-request.js'
import { readSignedKeyRequest } from '../signed-key-request.js'
import { keyRequestBody, requestDescription } from './key-request-body.js'
import { alreadyAnsweredText, otherAppsSignerText, unknownSignerText } from './signer-error-texts.js'

/** `POST signer/signed_key` */
export const signerSignedKey = defineOperation({
  method: 'POST',
  path: 'signer/signed_key',
  tag: 'Signer',
  summary: 'Ask a user to approve a signer',
  description: `The answer has \`signer_approval_url\`: send the user there. ${requestDescription}`,
  body: keyRequestBody(
    { signer_uuid: textParameter({ description: 'The signer.' }) },
    'the signer’s `public_key`',
  ),
  reply: Signer,
  notFound: unknownSignerText,
  forbidden: otherAppsSignerText,
  conflict: alreadyAnsweredText,

  async handle({ writerDb, network, clock, publicUrl }, { signer_uuid, ...requestBody }, { appId }) {
    const requestContext = { db: writerDb, network, clock }
    const signerState = await requestSignerApproval(
      requestContext,
      { appId, signerUuid: signer_uuid },
      readSignedKeyRequest(requestBody),
    )
    return presentSigner(signerState, publicUrl())
  },
})
