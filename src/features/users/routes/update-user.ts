import { Type } from '@sinclair/typebox'
import { OtherReply } from '../../../api/operation.js'
import { ethAddressParameter, numberParameter } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { UpdateUserPartly } from '../../../graph/view/schema/publishing.js'
import { defineOperation } from '../../operation.js'
import { publishProfile } from '../../publishing/profile.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'

/** Above the protocol's limits, which are checked separately. */
const MAX_ENTRY_LENGTH = 1_024

const entry = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 0, maxLength: MAX_ENTRY_LENGTH, description, examples: [example] }))

/** The body of `PATCH user`, as published clients send it. */
export const UpdateUserReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  bio: entry('Bio, up to 256 bytes.', 'Gardener and programmer.'),
  pfp_url: entry('URL of the profile picture, up to 256 bytes.', 'https://example.com/images/dwr.png'),
  banner: entry(
    'URL of the banner, up to 256 bytes. Pro accounts only.',
    'https://example.com/images/banner.png',
  ),
  url: entry('URL of the user’s page, up to 256 bytes.', 'https://example.com/dwr'),
  username: entry('Name that the user holds: an fname or an ENS name.', 'dwr'),
  display_name: entry('Display name, up to 32 bytes.', 'Dan Romero'),
  location: Type.Optional(
    Type.Object({
      latitude: numberParameter({
        minimum: -90,
        maximum: 90,
        description: 'Latitude in degrees.',
        examples: [52.52],
      }),
      longitude: numberParameter({
        minimum: -180,
        maximum: 180,
        description: 'Longitude in degrees.',
        examples: [13.4],
      }),
    }),
  ),
  primary_eth_address: Type.Optional(
    ethAddressParameter({
      description: 'Primary address; one of the user’s verified addresses.',
      examples: [],
    }),
  ),
  primary_sol_address: Type.Optional(
    Type.String({
      pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
      patternText: 'a Solana address',
      description: 'Primary address; one of the user’s verified addresses.',
      examples: [],
    }),
  ),
  verified_accounts: Type.Optional(
    Type.Object({
      x: entry('Name on X, without `@`.', 'dwr'),
      github: entry('Name on GitHub.', 'danromero'),
    }),
  ),
})

/** `PATCH user` */
export const updateUser = defineOperation({
  method: 'PATCH',
  path: 'user',
  tag: 'Users',
  summary: 'Update user profile',
  description:
    'Changes the members that the body has; an empty text clears a member. Coordinates are stored with ' +
    'two decimals, about a kilometre. If the protocol refuses some members, the others are applied and ' +
    'the reply is 207. If it refuses all of them, the reply is the first error.',
  example: { reply: { success: true, message: 'the profile is updated' } },
  body: UpdateUserReqBody,
  reply: OperationResponse,
  otherReplies: {
    207: { description: 'Some members were applied, others refused.', reply: UpdateUserPartly },
  },
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  async handle(context, { signer_uuid: signerUuid, ...profile }, caller) {
    return await actAs(context, { signerUuid, caller, permission: 'UPDATE_PROFILE' }, async (author) => {
      const problems = await publishProfile(context, author, profile)
      if (problems.length === 0) return { success: true, message: 'the profile is updated' }
      return new OtherReply(207, {
        success: false,
        errors: problems.map(({ property, message }) => ({ message: `${property}: ${message}` })),
      })
    })
  },
})
