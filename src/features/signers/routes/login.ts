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
  tag: 'Sign in',
  summary: 'A nonce for a Sign-In with Ethereum message',
  description: 'Good once, for ten minutes, and for the app that asks.',
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
  tag: 'Sign in',
  summary: 'The address of a hosted sign-in, which is retired',
  query: Type.Object({
    client_id: textParameter({ description: 'Names an app of the hosted sign-in.' }),
    response_type: choiceParameter(['code'], { description: 'Only `code`.' }),
  }),
  reply: AuthorizationUrlResponse,
  deprecated: true,
  gone: 'Always: there is no hosted sign-in. Make a signer and send the user to its approval page.',

  async handle() {
    throw new PlazaError(
      'gone',
      'there is no hosted sign-in: make a signer (POST signer, POST signer/signed_key) and send the user to its ' +
        'signer_approval_url',
    )
  },
})
