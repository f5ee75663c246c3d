import { Type } from '@sinclair/typebox'
import { choiceParameter, textParameter, uuidParameter } from '../../../api/parameters.js'
import { exampleSignature } from '../../../graph/view/schema/primitives.js'
import { lookupsFor } from '../../../hub/chain-claims/chain-lookups.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'
import { PlazaError } from '../../../platform/errors.js'
import { callerOfKey } from '../../../platform/limits/caller-name.js'
import { UUID_PATTERN } from '../../../platform/text/uuid.js'
import { findAppId } from '../../apps/apps.js'
import { defineOperation, type Operation } from '../../operation.js'
import { requireSavableTarget } from '../../savable-target.js'
import { findOwnSigner, requestSignerApproval } from '../key-approval-request.js'
import { presentSigner } from '../present-signer.js'
import { AuthorizationUrlResponse, NonceResponse, Signer, SignerListResponse } from '../schema/signer.js'
import { readSignedKeyRequest } from '../signed-key-request.js'
import { createSigner, listSignersOfCustody } from '../signer-record.js'
import { createNonce, verifySignIn } from '../siwe.js'
import {
  authAddressLookup,
  authAddressSignedKey,
  developerManagedSignedKey,
  developerManagedSigner,
} from './developer-managed.js'
import {
  alreadyAnsweredText,
  keyRequestBody,
  otherAppsSignerText,
  requestDescription,
  unknownSignerText,
} from './key-request-body.js'

const signerUuidParameter = uuidParameter({ description: 'UUID of the signer.' })

const createSignerOperation = defineOperation({
  method: 'POST',
  path: 'signer',
  tag: 'Signers',
  summary: 'Create signer',
  description:
    'Creates a key pair and stores the private key encrypted on this server. The signer cannot act until ' +
    'a user approves it; request approval with `POST signer/signed_key`. Each call creates another ' +
    'signer.',
  body: Type.Object({}),
  reply: Signer,

  async handle({ writerDb, vault, publicUrl }, _body, { appId }) {
    const created = await createSigner({ db: writerDb, vault }, appId)
    const state = { status: 'generated', fid: null, permissions: null, approvalToken: null } as const
    return presentSigner({ ...created, ...state }, publicUrl())
  },
})

const signerLookup = defineOperation({
  method: 'GET',
  path: 'signer',
  tag: 'Signers',
  summary: 'Lookup signer status by UUID',
  description:
    '`generated` until approval is requested, `pending_approval` until the user answers, then `approved` ' +
    'with `fid`; `revoked` after the user refuses the signer or removes its key. The state follows the ' +
    'chain as the hub has it.',
  query: Type.Object({ signer_uuid: signerUuidParameter }),
  reply: Signer,
  notFound: unknownSignerText,
  forbidden: otherAppsSignerText,

  async handle({ db, publicUrl }, { signer_uuid }, { appId }) {
    return presentSigner(await findOwnSigner(db, { appId, signerUuid: signer_uuid }), publicUrl())
  },
})

const signerSignedKey = defineOperation({
  method: 'POST',
  path: 'signer/signed_key',
  tag: 'Signers',
  summary: 'Register signed key for a signer',
  description:
    'Requests that a user approves the signer: send the user to `signer_approval_url` of the reply. ' +
    requestDescription,
  body: keyRequestBody({ signer_uuid: signerUuidParameter }, 'the signer’s `public_key`'),
  reply: Signer,
  notFound: unknownSignerText,
  forbidden: otherAppsSignerText,
  conflict: alreadyAnsweredText,

  async handle(
    { writerDb: db, network, clock, publicUrl, savedTargets },
    { signer_uuid, ...body },
    { appId },
  ) {
    const request = readSignedKeyRequest(body)
    await requireSavableTarget({ savedTargets }, request.redirectUrl, 'redirect_url')
    const named = { appId, signerUuid: signer_uuid }
    return presentSigner(await requestSignerApproval({ db, network, clock }, named, request), publicUrl())
  },
})

const MAX_MESSAGE_LENGTH = 8_192

const exampleSignInMessage = `garden.example.com wants you to sign in with your Ethereum account:
0x6B0bDa3f2fFEd5EFC83fA8C024ACff1DD45793F1

URI: https://garden.example.com
Version: 1
Chain ID: 10
Nonce: 8f2KqW1vTz0R4yXn
Issued At: 2026-05-01T12:00:00.000Z`

const signerList = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'signer/list',
  tag: 'Signers',
  summary: 'List signers of a user',
  description:
    'Signers of this app that the user with the signing address as custody address has ever approved, oldest first: ' +
    'none for an auth address. ' +
    '`message` is an EIP-4361 message of version 1: its nonce comes from `login/nonce` for the same app ' +
    'and no other message has used it, its URI belongs to its domain, its times fit the present, and its address ' +
    'has signed it. The same message may be sent again for ten minutes. A message of another form, version or site is ' +
    'a 400; one that has expired, has another nonce or is not signed by its address is a 401. ' +
    'A contract wallet is asked on its chain, if the operator has set up RPC URLs of OP Mainnet (and Base).',
  query: Type.Object({
    message: textParameter({
      maxLength: MAX_MESSAGE_LENGTH,
      description: 'Sign-In with Ethereum message, exactly as signed.',
      examples: [exampleSignInMessage],
    }),
    signature: textParameter({
      maxLength: MAX_SIGNATURE_LENGTH,
      description: 'Signature of the message (`personal_sign`): 0x and hex digits.',
      examples: [exampleSignature],
    }),
  }),
  reply: SignerListResponse,

  async handle({ writerDb, lookups, clock, publicUrl }, { message, signature }, { appId, keyId }) {
    const custody = await verifySignIn(
      { db: writerDb, lookups: lookupsFor(lookups, callerOfKey(keyId)) },
      { message, signature, appId, isRepeatable: true },
      clock(),
    )
    const signers = await listSignersOfCustody(writerDb, { appId, custody })
    return { signers: signers.map((signer) => presentSigner(signer, publicUrl())) }
  },
})

const loginNonce = defineOperation({
  method: 'GET',
  usesPrimary: true,
  path: 'login/nonce',
  tag: 'Signers',
  summary: 'Fetch nonce',
  description:
    'A nonce for a Sign-In with Ethereum message. It is valid once, for ten minutes, for the app that ' +
    'requested it.',
  query: Type.Object({}),
  reply: NonceResponse,

  async handle({ writerDb, clock }, _query, { appId }) {
    return { nonce: await createNonce(writerDb, appId, clock()) }
  },
})

const loginAuthorize = defineOperation({
  method: 'GET',
  path: 'login/authorize',
  tag: 'Signers',
  summary: 'Fetch authorization URL',
  description:
    'Returns the URL of the login page of an app. Add `redirect_uri` or `deeplink_url` to its query to come ' +
    'back to an authorized origin of the app. An unknown app is a 400.',
  query: Type.Object({
    client_id: Type.String({
      pattern: UUID_PATTERN,
      patternText: 'the id of an app, a UUID',
      description: 'Id of the app.',
      examples: ['0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55'],
    }),
    response_type: choiceParameter(['code'], { description: 'Only `code`.' }),
  }),
  reply: AuthorizationUrlResponse,

  async handle({ db, publicUrl }, { client_id }) {
    const id = await findAppId(db, client_id)
    if (id === null) {
      throw new PlazaError('bad_request.invalid_param', 'client_id must be the id of an app', {
        property: 'client_id',
      })
    }
    return { authorization_url: `${publicUrl()}/login?client_id=${id}` }
  },
})

/** Operations on signers, auth addresses and sign-in. */
export const signerOperations: readonly Operation[] = [
  createSignerOperation,
  signerLookup,
  signerSignedKey,
  signerList,
  developerManagedSigner,
  developerManagedSignedKey,
  authAddressLookup,
  authAddressSignedKey,
  loginNonce,
  loginAuthorize,
]
