import { type Static, Type } from '@sinclair/typebox'
import { textEnum } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

/** A verified address of a user, and the app that verified it. */
export const Verification = Type.Object(
  {
    object: Type.Literal('verification'),
    address: Type.String(),
    app: Type.Optional(UserDehydrated),
    protocol: textEnum(['evm', 'solana']),
    verified_at: Type.String(),
  },
  { $id: 'Verification' },
)
export type Verification = Static<typeof Verification>

export const VerificationsResponse = Type.Object(
  { verifications: Type.Array(Verification) },
  { $id: 'VerificationsResponse' },
)
export type VerificationsResponse = Static<typeof VerificationsResponse>
