import { type Static, Type } from '@sinclair/typebox'
import { textEnum } from './schema-type.js'
import { UserDehydrated } from './user-dehydrated.js'

/** An address that a user has proven to be its own, and by which app. */
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
