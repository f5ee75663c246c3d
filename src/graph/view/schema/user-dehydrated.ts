import { type Static, Type } from '@sinclair/typebox'
import { EthAddress, Fid, ImageUrl, namedObject, nullable, Username } from './primitives.js'

const spamScore = 'Probability that the account is not spam.'

/** The short form of a user inside other objects. */
export const UserDehydrated = namedObject('UserDehydrated', {
  object: Type.Literal('user_dehydrated'),
  fid: Fid,
  username: Type.Optional(Username),
  display_name: Type.Optional(nullable(Type.String({ examples: ['Dan Romero'] }))),
  pfp_url: Type.Optional(nullable(ImageUrl)),
  custody_address: Type.Optional(EthAddress),
  score: Type.Optional(Type.Number({ description: spamScore, examples: [0.98] })),
})
export type UserDehydrated = Static<typeof UserDehydrated>
