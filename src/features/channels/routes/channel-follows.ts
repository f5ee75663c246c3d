import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { textParameter } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { followChannel, unfollowChannel } from '../follows.js'

/** The body of both operations, as published clients send it. */
export const ChannelFollowReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  channel_id: textParameter({ description: 'Id of the channel.', examples: ['gardening'], maxLength: 64 }),
})

const actions = {
  follow: { permission: 'FOLLOW_CHANNEL', message: 'the channel is followed' },
  unfollow: { permission: 'UNFOLLOW_CHANNEL', message: 'the channel is unfollowed' },
} as const

/**
 * Follows or unfollows a channel. No hub checks the signer of a message here, so its state is read afresh.
 */
async function changeChannelFollow(
  { signers, writerDb, hydrator, clock }: OperationContext,
  action: 'follow' | 'unfollow',
  { signer_uuid: signerUuid, channel_id: channelId }: (typeof ChannelFollowReqBody)['static'],
  { appId }: Caller,
) {
  const { permission, message } = actions[action]
  const { fid } = await signers.findFresh({ signerUuid, appId, permission })
  const writer = { db: writerDb, invalidation: hydrator.invalidation }
  const found =
    action === 'follow'
      ? await followChannel(writer, { channelId, fid, now: Math.floor(clock() / 1000) })
      : await unfollowChannel(writer, { channelId, fid })
  if (!found) {
    throw new PlazaError('not_found', 'there is no such channel', { property: 'channel_id' })
  }
  return { success: true, message }
}

/** `POST channel/follow` */
export const followChannelOperation = defineOperation({
  method: 'POST',
  path: 'channel/follow',
  tag: 'Channels',
  summary: 'Follow a channel',
  description:
    'The user of the signer follows the channel. Following a followed channel succeeds. Channel follows ' +
    'are stored by this server; they are no messages of the protocol.',
  example: { reply: { success: true, message: 'the channel is followed' } },
  body: ChannelFollowReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or channel.',

  handle: (context, body, caller) => changeChannelFollow(context, 'follow', body, caller),
})

/** `DELETE channel/follow` */
export const unfollowChannelOperation = defineOperation({
  method: 'DELETE',
  path: 'channel/follow',
  tag: 'Channels',
  summary: 'Unfollow a channel',
  description: 'Ends the follow of a channel. Unfollowing a channel that is not followed succeeds.',
  example: { reply: { success: true, message: 'the channel is unfollowed' } },
  body: ChannelFollowReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or channel.',

  handle: (context, body, caller) => changeChannelFollow(context, 'unfollow', body, caller),
})
