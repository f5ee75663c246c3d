import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { textParameter } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { followChannel, unfollowChannel } from '../follows.js'

/** The channel, as the published client sends it. */
export const ChannelFollowReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  channel_id: textParameter({ description: 'The id of the channel.', maxLength: 64 }),
})

const actions = {
  follow: { permission: 'FOLLOW_CHANNEL', message: 'the channel is followed' },
  unfollow: { permission: 'UNFOLLOW_CHANNEL', message: 'the channel is no longer followed' },
} as const

/** Follows or unfollows. No message is made, so nobody after us looks at the signer: it is asked for as it is now. */
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
  tag: 'Channel',
  summary: 'Follow a channel',
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
  tag: 'Channel',
  summary: 'Unfollow a channel',
  body: ChannelFollowReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or channel.',

  handle: (context, body, caller) => changeChannelFollow(context, 'unfollow', body, caller),
})
