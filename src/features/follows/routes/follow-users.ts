import { BulkFollowResponse } from '../../../graph/view/schema/publishing.js'
import { defineOperation } from '../../operation.js'
import { mayNotAct } from '../../publishing/routes/acting.js'
import { changeFollows, FollowReqBody } from './change-follows.js'

/** `POST user/follow` */
export const followUsers = defineOperation({
  method: 'POST',
  path: 'user/follow',
  tag: 'Follow',
  summary: 'Follow users',
  description:
    'Up to 100 at once; `details` tells of each, in their order. Who is followed already counts as done. When none of ' +
    'them can be followed the answer is an error.',
  body: FollowReqBody,
  reply: BulkFollowResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer, or none of the users.',

  handle: (context, body, caller) => changeFollows(context, 'follow', body, caller),
})
