import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { Signer, SignerListResponse } from '../../../graph/view/schema/signer.js'
import { presentSigner } from '../../../graph/view/signer.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'
import { defineOperation } from '../../operation.js'
import { verifySignIn } from '../../sign-in/siwe.js'
import { createSigner } from '../create-signer.js'
import { listSignersOfCustody } from '../find-signer.js'
import { findOwnSigner, requestSignerApproval } from '../key-approval-request.js'
import { readSignedKeyRequest } from '../signed-key-request.js'
import {
  alreadyAnsweredText,
  keyRequestBody,
  otherAppsSignerText,
  requestDescription,
  unknownSignerText,
} from './key-request-body.js'

/** `POST signer` */
export const createSignerOperation = defineOperation({
  method: 'POST',
  path: 'signer',
  tag: 'Signer',
  summary: 'Make a signer',
  description:
    'A pair of keys whose private half stays on this server, encrypted. It acts for nobody until a user has approved ' +
    'it: ask for that by `signer/signed_key`. Every call makes another one.',
  body: Type.Object({}),
  reply: Signer,

  async handle({ writerDb, vault, publicUrl }, _body, { appId }) {
    const { id, publicKey } = await createSigner({ db: writerDb, vault }, appId)
    const made = {
      id,
      publicKey,
      status: 'generated',
      fid: null,
      permissions: null,
      approvalToken: null,
    } as const
    return presentSigner(made, publicUrl())
  },
})

/** `GET signer` */
export const signerLookup = defineOperation({
  method: 'GET',
  path: 'signer',
  tag: 'Signer',
  summary: 'How a signer stands',
  description: [
    '`generated` until the app has asked for it, `pending_approval` until the user has answered, `approved` from then on',
    'with `fid`, and `revoked` when the user has refused it or taken it back. It follows the chain as the hub sees it.',
  ].join(' '),
  query: Type.Object({ signer_uuid: textParameter({ description: 'The signer.' }) }),
  reply: Signer,
  notFound: unknownSignerText,
  forbidden: otherAppsSignerText,

  async handle({ db, publicUrl }, { signer_uuid }, { appId }) {
    return presentSigner(await findOwnSigner(db, { appId, signerUuid: signer_uuid }), publicUrl())
  },
})

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

const MAX_MESSAGE_LENGTH = 8_192

/** `GET signer/list` */
export const signerList = defineOperation({
  method: 'GET',
  path: 'signer/list',
  tag: 'Signer',
  summary: 'Signers of a user who signs in with Ethereum',
  description: [
    'Those that the app has made and the holder of the address has approved at some time, from the oldest to the newest.',
    'The message is of EIP-4361, version 1: its nonce is one of `login/nonce` for the same app, not used before; its URI',
    'is of the site that its domain names; issue, not-before and expiration fit the present; and the account that it',
    'names has signed it. A message that does not hold is a 401. Contract wallets cannot sign in: that takes a chain to',
    'ask.',
  ].join(' '),
  query: Type.Object({
    message: textParameter({
      maxLength: MAX_MESSAGE_LENGTH,
      description: 'The Sign-In with Ethereum message, as the wallet signed it.',
    }),
    signature: textParameter({
      maxLength: MAX_SIGNATURE_LENGTH,
      description: 'Its signature (`personal_sign`): 0x and hex.',
    }),
  }),
  reply: SignerListResponse,

  async handle({ writerDb, clock, publicUrl }, { message, signature }, { appId }) {
    const custody = await verifySignIn(writerDb, { message, signature, appId }, clock())
    const signers = await listSignersOfCustody(writerDb, { appId, custody })
    return { signers: signers.map((signer) => presentSigner(signer, publicUrl())) }
  },
})
