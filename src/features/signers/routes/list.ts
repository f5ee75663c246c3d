import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { SignerListResponse } from '../../../graph/view/schema/signer.js'
import { presentSigner } from '../../../graph/view/signer.js'
import { MAX_SIGNATURE_LENGTH } from '../../../hub/registry/account-signature.js'
import { defineOperation } from '../../operation.js'
import { verifySignIn } from '../../sign-in/siwe.js'
import { listSignersOfCustody } from '../find-signer.js'

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
