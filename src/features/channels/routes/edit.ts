import { Type } from '@sinclair/typebox'
import { ChannelResponse } from '../../../graph/view/schema/channel.js'
import { defineOperation } from '../../operation.js'
import { editChannel } from '../lead-edits.js'
import { channelIdMember, editMembers, savedChannelJson } from './edit-body.js'

/** `PATCH channel` */
export const channelEdit = defineOperation({
  method: 'PATCH',
  path: 'channel',
  tag: 'Channel',
  summary: 'Changes a channel',
  description: [
    'By the signer of its lead. What is not given stays as it is; null takes away. An operation of this server; the',
    'published descriptions have none for it. Who leads, and other parent URLs, are the server’s to set.',
  ].join(' '),
  body: Type.Object({ ...editMembers, channel_id: channelIdMember }),
  reply: ChannelResponse,
  notFound: 'There is no such signer or channel.',
  forbidden: 'The signer may not act, or its user does not lead the channel.',

  async handle({ signers, writerDb, hydrator, clock }, body, { appId }) {
    const { signer_uuid: signerUuid, channel_id: id, ...edits } = body
    const { fid } = await signers.findFresh({ signerUuid, appId, permission: 'any write' })
    const outcome = await editChannel(
      { db: writerDb, invalidation: hydrator.invalidation },
      fid,
      { id, edits },
      Math.floor(clock() / 1000),
    )
    return await savedChannelJson(outcome, { hydrator, id, fid })
  },
})
