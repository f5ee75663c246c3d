import { Type } from '@sinclair/typebox'
import { EthAddress, exampleSignature, namedObject, textEnum } from '../../../graph/view/schema/primitives.js'

const address = Type.String({ pattern: '^0x[a-fA-F0-9]{40}$', examples: EthAddress.examples })
const Signature = Type.String({ pattern: '^0x[a-fA-F0-9]{130}$', examples: [exampleSignature] })
const decimal = (example: string) => Type.String({ examples: [example] })

/** A signed x402 payment: base64 of it is the header `X-PAYMENT`. */
export const X402SignatureResponse = namedObject('X402SignatureResponse', {
  x402Version: Type.Literal(1),
  scheme: Type.Literal('exact'),
  network: textEnum(['base', 'base-sepolia'], { examples: ['base'] }),
  payload: Type.Object({
    signature: Signature,
    authorization: Type.Object({
      from: address,
      to: address,
      value: decimal('10000'),
      validAfter: decimal('1767225000'),
      validBefore: decimal('1767225660'),
      nonce: Type.String({ pattern: '^0x[a-fA-F0-9]{64}$', examples: [`0x${'9f'.repeat(32)}`] }),
    }),
  }),
})

/** A signed Sign-In with X message. */
export const X402SiwxResponse = namedObject('X402SiwxResponse', {
  address,
  chainId: Type.Union([Type.Literal(8453), Type.Literal(84532)]),
  message: Type.String({ examples: ['shop.example wants you to sign in with your Ethereum account: …'] }),
  signature: Signature,
  timestamp: Type.Number({ description: 'Unix milliseconds.', examples: [1767225600000] }),
})
