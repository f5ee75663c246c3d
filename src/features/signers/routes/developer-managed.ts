import { Type } from '@sinclair/typebox'
import { ethAddressParameter } from '../../../api/parameters.js'
import { authKeyOf } from '../../../protocol/auth-key.js'
import { bytesOfHex } from '../../../protocol/bytes.js'
import { KEY_TYPE_AUTH, KEY_TYPE_ED25519 } from '../../../protocol/key-rules.js'
import { defineOperation } from '../../operation.js'
import { requireSavableTarget } from '../../savable-target.js'
import { findOwnKey, requestKeyApproval } from '../key-approval-request.js'
import { presentAuthAddress, presentDeveloperManagedSigner } from '../present-signer.js'
import { DeveloperManagedAuthAddress, DeveloperManagedSigner } from '../schema/signer.js'
import { readSignedKeyRequest } from '../signed-key-request.js'
import {
  alreadyAnsweredText,
  keyRequestBody,
  otherAppsSignerText,
  requestDescription,
} from './key-request-body.js'

const authAddress = (appId: string, address: string) =>
  ({ appId, keyType: KEY_TYPE_AUTH, key: authKeyOf(bytesOfHex(address)), property: 'address' }) as const

/** Completes the description of a key. */
const ownershipText = (answer: string) =>
  'Once an app has requested it, other apps cannot, until a day after the deadline of a request that the user has ' +
  `not ${answer}.`

const addressParameter = ethAddressParameter({
  description: `Ethereum address. ${ownershipText('approved')}`,
})

export const authAddressLookup = defineOperation({
  method: 'GET',
  path: 'auth_address/developer_managed',
  tag: 'Signers',
  summary: 'Lookup auth address status',
  description:
    'Returns the state of an auth address that this app has requested: `pending_approval`, `approved` ' +
    'with the user’s `fid`, or `revoked`.',
  query: Type.Object({ address: ethAddressParameter({ description: 'Ethereum address.' }) }),
  reply: DeveloperManagedAuthAddress,
  notFound: 'No app has requested this address.',
  forbidden: otherAppsSignerText,

  async handle({ db, publicUrl }, { address }, { appId }) {
    return presentAuthAddress(await findOwnKey(db, authAddress(appId, address)), publicUrl())
  },
})

export const authAddressSignedKey = defineOperation({
  method: 'POST',
  path: 'auth_address/developer_managed/signed_key',
  tag: 'Signers',
  summary: 'Register signed key for an auth address',
  description: `Requests that a user lets an Ethereum address sign in for them. ${requestDescription}`,
  body: keyRequestBody({ address: addressParameter }, '`address` as an ABI word of 32 bytes'),
  reply: DeveloperManagedAuthAddress,
  forbidden: otherAppsSignerText,
  conflict: alreadyAnsweredText,

  async handle({ writerDb: db, network, clock, publicUrl, savedTargets }, { address, ...body }, { appId }) {
    const [key, request] = [authAddress(appId, address), readSignedKeyRequest(body)]
    await requireSavableTarget({ savedTargets }, request.redirectUrl, 'redirect_url')
    return presentAuthAddress(await requestKeyApproval({ db, network, clock }, key, request), publicUrl())
  },
})

const publicKeyParameter = Type.String({
  pattern: '^0x[a-fA-F0-9]{64}$',
  patternText: 'an Ed25519 public key: 0x and 64 hex digits',
  description: `Ed25519 public key. ${ownershipText('answered')}`,
  examples: ['0x5d9a0c1f3b7e2a4c6e8d0f1b3a5c7e9d2f4b6a8c0e1d3f5b7a9c2e4d6f8b0a1c'],
})

const messageKey = (appId: string, publicKey: string) =>
  ({
    appId,
    keyType: KEY_TYPE_ED25519,
    key: bytesOfHex(publicKey),
    property: 'public_key',
  }) as const

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
    return presentDeveloperManagedSigner(await findOwnKey(db, messageKey(appId, public_key)), publicUrl())
  },
})

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

  async handle(
    { writerDb: db, network, clock, publicUrl, savedTargets },
    { public_key, ...body },
    { appId },
  ) {
    const [key, request] = [messageKey(appId, public_key), readSignedKeyRequest(body)]
    await requireSavableTarget({ savedTargets }, request.redirectUrl, 'redirect_url')
    const requested = await requestKeyApproval({ db, network, clock }, key, request)
    return presentDeveloperManagedSigner(requested, publicUrl())
  },
})
