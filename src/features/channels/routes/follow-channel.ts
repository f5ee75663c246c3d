import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { mayNotAct } from '../../publishing/routes/acting.js'
import { ChannelFollowReqBody, changeChannelFollow } from './change-channel-follow.js'

/** `POST channel/follow` */
export const followChannelOperation = defineOperation({
  method: 'POST',
  path: 'channel/follow',
  tag: 'Channel',
  summary: 'Follow a channel',
  body: ChannelFollowReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or channel.',

  handle: (context, body, caller) => changeChannelFollow(context, 'follow', body, caller),
})
