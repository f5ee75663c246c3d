import type * as Client from '@neynar/nodejs-sdk/build/api/index.js'
import type { TSchema } from '@sinclair/typebox'
import { PostCastResponse } from '../../src/features/casts/schema/cast.js'
import { BulkFollowResponse } from '../../src/features/follows/schema/follow.js'
import { ActionResponse, PublishMessageResponse } from '../../src/features/publishing/schema/publishing.js'
import { UpdateUserPartly } from '../../src/features/users/schema/user.js'
import { OperationResponse } from '../../src/graph/view/schema/operation-response.js'
import { published } from './conformance.js'

const operationResponse = published<Client.OperationResponse>()(OperationResponse)
const bulkFollowResponse = published<Client.BulkFollowResponse>()(BulkFollowResponse)

/** The reply of each operation that publishes in a user's name, held against the client's type by the compiler. */
export const publishingReplies: Readonly<Record<string, TSchema>> = {
  'POST action': published<object>()(ActionResponse),
  'POST cast': published<Client.PostCastResponse>()(PostCastResponse),
  'DELETE cast': operationResponse,
  'POST channel/follow': operationResponse,
  'DELETE channel/follow': operationResponse,
  'POST message': published<object>()(PublishMessageResponse),
  'POST reaction': operationResponse,
  'DELETE reaction': operationResponse,
  'PATCH user': operationResponse,
  'POST user/follow': bulkFollowResponse,
  'DELETE user/follow': bulkFollowResponse,
  'POST user/verification': operationResponse,
  'DELETE user/verification': operationResponse,
}

/** The other answer of `PATCH user`. */
published<Client.UpdateUser207Response>()(UpdateUserPartly)
