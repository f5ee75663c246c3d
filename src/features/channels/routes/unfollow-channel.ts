import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { mayNotAct } from '../../publishing/routes/acting.js'
import { ChannelFollowReqBody, changeChannelFollow } from './change-channel-follow.js'

/** `DELETE channel/follow` */
export const unfollowChannelOperation = defineOperation({
  method: 'DELETE',
  path: 'channel/follow',
  tag: 'Channel',
  summary: 'Unfollow a channel',
  body: ChannelFollowReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or channel.',

  handle: (context, body, caller) => changeChannelFollow(context, 'unfollow', body, caller),
})
