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

/** The public key of a developer managed signer. */
const publicKeyParameter = Type.String({
  pattern: '^0x[a-fA-F0-9]{64}$',
  patternText: 'an Ed25519 public key: 0x and 64 hex digits',
  description: 'Ed25519 public key. Once an app has requested it, other apps cannot.',
  examples: ['0x5d9a0c1f3b7e2a4c6e8d0f1b3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a1c'],
})

/** `GET signer/developer_managed` */
export const developerManagedSigner = defineOperation({
  method: 'GET',
  path: 'signer/developer_managed',
  tag: 'Signers',
  summary: 'Lookup developer managed signer by public key',
  description:
    'Returns the state of a key that this app has requested: `pending_approval`, `approved` with the ' +
    'user’s `fid`, or `revoked`.',
  query: Type.Object({ public_key: publicKeyParameter }),
  reply: DeveloperManagedSigner,
  notFound: 'No app has requested this key.',
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
  tag: 'Signers',
  summary: 'Register signed key for a developer managed signer',
  description:
    'Requests that a user approves a key which the developer holds. Send messages signed with it through ' +
    `\`POST message\`. ${requestDescription}`,
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
