import { type Static, Type } from '@sinclair/typebox'
import { CastHash, Fid } from './primitives.js'

/** A cast that was published. */
export const PostCastResponse = Type.Object(
  {
    success: Type.Boolean(),
    cast: Type.Object({
      hash: CastHash,
      author: Type.Object({ fid: Fid }),
      text: Type.String({ description: 'As it was given.' }),
    }),
  },
  { $id: 'PostCastResponse' },
)
export type PostCastResponse = Static<typeof PostCastResponse>

/** The result of one follow or unfollow. */
export const FollowResponse = Type.Object(
  {
    success: Type.Boolean(),
    target_fid: Fid,
    hash: Type.String({ description: 'Of the message that stands; empty where `success` is false.' }),
  },
  { $id: 'FollowResponse' },
)
export type FollowResponse = Static<typeof FollowResponse>

/** The results of several follows or unfollows. */
export const BulkFollowResponse = Type.Object(
  {
    success: Type.Boolean({ description: 'Whether all of them have succeeded.' }),
    details: Type.Array(FollowResponse),
  },
  { $id: 'BulkFollowResponse' },
)
export type BulkFollowResponse = Static<typeof BulkFollowResponse>

/** A profile that was updated in part. */
export const UpdateUserPartly = Type.Object(
  {
    success: Type.Boolean({ description: 'False: something was refused.' }),
    errors: Type.Array(
      Type.Object({ message: Type.String({ description: 'The member that was refused, and why.' }) }),
    ),
  },
  { $id: 'UpdateUserPartly' },
)
export type UpdateUserPartly = Static<typeof UpdateUserPartly>

/** A message of the protocol, in the JSON of the hub API. */
export const PublishMessageResponse = Type.Object(
  {},
  { $id: 'PublishMessageResponse', additionalProperties: true },
)
export type PublishMessageResponse = Static<typeof PublishMessageResponse>

/** The reply of another app. */
export const ActionResponse = Type.Object({}, { $id: 'ActionResponse', additionalProperties: true })
export type ActionResponse = Static<typeof ActionResponse>
