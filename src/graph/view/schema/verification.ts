import { Type } from '@sinclair/typebox'
import { DateTime, EthAddress } from './primitives.js'
import { namedObject, textEnum } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A verified address, and the app that published the verification. */
export const Verification = namedObject('Verification', {
  object: Type.Literal('verification'),
  address: Type.String({ examples: EthAddress.examples }),
  app: Type.Optional(UserDehydrated),
  protocol: textEnum(['evm', 'solana']),
  verified_at: Type.String({ examples: DateTime.examples }),
})

export const VerificationsResponse = namedObject('VerificationsResponse', {
  verifications: Type.Array(Verification),
})
