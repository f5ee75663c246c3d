import { Type } from '@sinclair/typebox'
import { DeveloperManagedSigner } from '../../../graph/view/schema/signer.js'
import { presentDeveloperManagedSigner } from '../../../graph/view/signer.js'
import { defineOperation } from '../../operation.js'
import { findOwnKey, requestKeyApproval } from '../key-approval-request.js'
import { readSignedKeyRequest } from '../signed-key-request.js'
import { MESSAGE_KEY_TYPE } from '../signer-record.js'
import {
  alreadyAnsweredText,
  keyRequestBody,
  otherAppsSignerText,
  requestDescription,
} from './key-request-body.js'

/** An Ed25519 public key. */
const publicKeyParameter = Type.String({
  pattern: '^0x[a-fA-F0-9]{64}$',
  patternText: 'an Ed25519 public key: 0x and 64 hex digits',
  description: 'The key. One that an app has asked for is that app’s.',
})

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
