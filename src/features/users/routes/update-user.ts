import { Type } from '@sinclair/typebox'
import { OtherReply } from '../../../api/operation.js'
import { ethAddressParameter, numberParameter } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { UpdateUserPartly } from '../../../graph/view/schema/publishing.js'
import { defineOperation } from '../../operation.js'
import { publishProfile } from '../../publishing/profile.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'

/** The protocol's limits are lower, and are told in its own words. */
const MAX_ENTRY_LENGTH = 1_024

const entry = (description: string) =>
  Type.Optional(Type.String({ minLength: 0, maxLength: MAX_ENTRY_LENGTH, description }))

/** What changes, as the published client sends it. */
export const UpdateUserReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  bio: entry('Up to 256 bytes.'),
  pfp_url: entry('The picture, up to 256 bytes.'),
  banner: entry('The picture behind the profile, up to 256 bytes. For pro accounts.'),
  url: entry('A page of the user’s, up to 256 bytes.'),
  username: entry('One of the names that the user holds.'),
  display_name: entry('Up to 32 bytes.'),
  location: Type.Optional(
    Type.Object({
      latitude: numberParameter({ minimum: -90, maximum: 90, description: 'Degrees north.' }),
      longitude: numberParameter({ minimum: -180, maximum: 180, description: 'Degrees east.' }),
    }),
  ),
  primary_eth_address: Type.Optional(
    ethAddressParameter({ description: 'One of the user’s verified addresses.' }),
  ),
  primary_sol_address: Type.Optional(
    Type.String({
      pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
      patternText: 'a Solana address',
      description: 'One of the user’s verified addresses.',
    }),
  ),
  verified_accounts: Type.Optional(
    Type.Object({
      x: entry('The name on X, without `@`.'),
      github: entry('The name on the code-hosting platform.'),
    }),
  ),
})

/** `PATCH user` */
export const updateUser = defineOperation({
  method: 'PATCH',
  path: 'user',
  tag: 'User',
  summary: 'Update a profile',
  description: [
    'What is not given stays as it is; an empty text clears. The location is kept to two digits, about a kilometre.',
    'What the protocol refuses is told; the rest is applied, and the answer is 207. When everything is refused it is',
    'the error of the first.',
  ].join(' '),
  body: UpdateUserReqBody,
  reply: OperationResponse,
  otherReplies: {
    207: { description: 'Something was applied, something refused.', reply: UpdateUserPartly },
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
