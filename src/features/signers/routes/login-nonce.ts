import { Type } from '@sinclair/typebox'
import { NonceResponse } from '../../../graph/view/schema/signer.js'
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
