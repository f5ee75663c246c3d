import { type Static, Type } from '@sinclair/typebox'
import { DateTime, EthAddress } from './primitives.js'
import { textEnum } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A verified address, and the app that published the verification. */
export const Verification = Type.Object(
  {
    object: Type.Literal('verification'),
    address: Type.String({ examples: EthAddress.examples }),
    app: Type.Optional(UserDehydrated),
    protocol: textEnum(['evm', 'solana']),
    verified_at: Type.String({ examples: DateTime.examples }),
  },
  { $id: 'Verification' },
)
export type Verification = Static<typeof Verification>

export const VerificationsResponse = Type.Object(
  { verifications: Type.Array(Verification) },
  { $id: 'VerificationsResponse' },
)
export type VerificationsResponse = Static<typeof VerificationsResponse>
