import { DeveloperManagedSigner } from '../../../graph/view/schema/signer.js'
import { presentDeveloperManagedSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { askForKey } from '../ask-for-key.js'
import { readKeyAsked } from '../key-asked.js'
import { messageKey } from '../standing.js'
import { keyRequestBody, requestDescription } from './key-request-body.js'
import { publicKeyParameter } from './public-key-parameter.js'
import { anotherApps, answeredAlready } from './signer-refusals.js'

/** `POST signer/developer_managed/signed_key` */
export const developerManagedSignedKey = defineOperation({
  method: 'POST',
  path: 'signer/developer_managed/signed_key',
  tag: 'Signer',
  summary: 'Ask a user to approve a key that the developer holds',
  description: `What such a key signs is sent by \`POST message\`. ${requestDescription}`,
  body: keyRequestBody({ public_key: publicKeyParameter }, '`public_key`'),
  reply: DeveloperManagedSigner,
  forbidden: anotherApps,
  conflict: answeredAlready,

  async handle({ writerDb, network, clock, publicUrl }, { public_key, ...asked }, { appId }) {
    const key = Buffer.from(public_key.slice(2), 'hex')
    const named = { appId, keyType: messageKey, key, property: 'public_key' }
    const standing = await askForKey({ db: writerDb, network, clock }, named, readKeyAsked(asked))
    return presentDeveloperManagedSigner(standing, publicUrl())
  },
})
