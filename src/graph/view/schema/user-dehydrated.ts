import { type Static, Type } from '@sinclair/typebox'
import { EthAddress, Fid } from './primitives.js'
import { nullable } from './schema-type.js'

/** The dehydrated form of a user. */
export const UserDehydrated = Type.Object(
  {
    object: Type.Literal('user_dehydrated'),
    fid: Fid,
    username: Type.Optional(Type.String()),
    display_name: Type.Optional(nullable(Type.String())),
    pfp_url: Type.Optional(nullable(Type.String())),
    custody_address: Type.Optional(EthAddress),
    score: Type.Optional(Type.Number({ description: 'The probability that the account is not spam.' })),
  },
  { $id: 'UserDehydrated' },
)
export type UserDehydrated = Static<typeof UserDehydrated>
