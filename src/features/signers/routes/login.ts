import { Type } from '@sinclair/typebox'
import { choiceParameter, textParameter } from '../../../api/parameters.js'
import { AuthorizationUrlResponse, NonceResponse } from '../../../graph/view/schema/signer.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { createNonce } from '../../sign-in/nonces.js'

/** `GET login/nonce` */
export const loginNonce = defineOperation({
  method: 'GET',
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

/** `GET login/authorize` */
export const loginAuthorize = defineOperation({
  method: 'GET',
  path: 'login/authorize',
  tag: 'Signers',
  summary: 'Fetch authorization URL',
  description:
    'Retired: there is no hosted login, and the reply is always 410. Create a signer and send the user to ' +
    'its approval page instead.',
  query: Type.Object({
    client_id: textParameter({ description: 'Client id of the hosted login.', examples: ['garden'] }),
    response_type: choiceParameter(['code'], { description: 'Only `code`.' }),
  }),
  reply: AuthorizationUrlResponse,
  deprecated: true,
  gone: 'There is no hosted login. Create a signer and send the user to its approval page.',

  async handle() {
    throw new PlazaError(
      'gone',
      'there is no hosted login: create a signer (POST signer, POST signer/signed_key) and send the user to its ' +
        'signer_approval_url',
    )
  },
})
