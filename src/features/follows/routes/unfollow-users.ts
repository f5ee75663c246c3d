import { BulkFollowResponse } from '../../../graph/view/schema/publishing.js'
import { defineOperation } from '../../operation.js'
import { mayNotAct } from '../../publishing/routes/acting.js'
import { changeFollows, FollowReqBody } from './change-follows.js'

/** `DELETE user/follow` */
export const unfollowUsers = defineOperation({
  method: 'DELETE',
  path: 'user/follow',
  tag: 'Follow',
  summary: 'Unfollow users',
  description:
    'Up to 100 at once; `details` tells of each, in their order. Who is not followed counts as done.',
  body: FollowReqBody,
  reply: BulkFollowResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',

  handle: (context, body, caller) => changeFollows(context, 'unfollow', body, caller),
})
