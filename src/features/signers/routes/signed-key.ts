import { textParameter } from '../../../api/parameters.js'
import { Signer } from '../../../graph/view/schema/signer.js'
import { presentSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { askForSigner } from '../ask-for-key.js'
import { readKeyAsked } from '../key-asked.js'
import { keyRequestBody, requestDescription } from './key-request-body.js'
import { anotherApps, answeredAlready, noSuchSigner } from './signer-refusals.js'

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
  notFound: noSuchSigner,
  forbidden: anotherApps,
  conflict: answeredAlready,

  async handle({ writerDb, network, clock, publicUrl }, { signer_uuid, ...asked }, { appId }) {
    const check = { db: writerDb, network, clock }
    const standing = await askForSigner(check, { appId, signerUuid: signer_uuid }, readKeyAsked(asked))
    return presentSigner(standing, publicUrl())
  },
})
