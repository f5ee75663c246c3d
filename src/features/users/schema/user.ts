import { Type } from '@sinclair/typebox'
import { Notification } from '../../../graph/view/schema/notification.js'
import {
  DateTime,
  EthAddress,
  NextCursor,
  namedObject,
  textEnum,
  Username,
} from '../../../graph/view/schema/primitives.js'
import { User } from '../../../graph/view/schema/user.js'
import { UserDehydrated } from '../../../graph/view/schema/user-dehydrated.js'

/** The 207 of a partly applied update. */
export const UpdateUserPartly = namedObject('UpdateUserPartly', {
  success: Type.Boolean({ description: 'Always false.', examples: [false] }),
  errors: Type.Array(
    Type.Object({
      message: Type.String({
        description: 'Refused member and the reason.',
        examples: ['username: alice is not registered to this fid'],
      }),
    }),
  ),
})

export const UserResponse = namedObject('UserResponse', { user: User })

export const BulkUsersResponse = namedObject('BulkUsersResponse', { users: Type.Array(User) })

export const BulkUsersByAddressResponse = Type.Record(Type.String(), Type.Array(User), {
  $id: 'BulkUsersByAddressResponse',
  description: 'Users by address, in lower case if it is of Ethereum. Addresses without a user are left out.',
  exampleKey: '0x6b0bda3f2ffed5efc83fa8c024acff1dd45793f1',
})

export const UserSearchResponse = namedObject('UserSearchResponse', {
  result: Type.Object({ users: Type.Array(User), next: Type.Optional(NextCursor) }),
})

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

/** A user with a high mutual affinity to another. */
export const BestFriend = namedObject('BestFriend', {
  fid: Type.Integer({ examples: [191] }),
  username: Username,
  mutual_affinity_score: Type.Number({ examples: [42.5] }),
})

export const BestFriendsResponse = namedObject('BestFriendsResponse', {
  users: Type.Array(BestFriend),
  next: Type.Optional(NextCursor),
})

export const UserInteractionsResponse = namedObject('UserInteractionsResponse', {
  interactions: Type.Array(Notification),
})
