import { Type } from '@sinclair/typebox'
import { ChannelResponse } from '../../../graph/view/schema/channel.js'
import { defineOperation } from '../../operation.js'
import { mayNotAct } from '../../publishing/routes/acting.js'
import { createChannel } from '../lead-edits.js'
import { channelIdMember, editMembers, parentUrlMember, savedChannelJson } from './edit-body.js'

/** `POST channel` */
export const channelCreate = defineOperation({
  method: 'POST',
  path: 'channel',
  tag: 'Channel',
  summary: 'Makes a channel',
  description: [
    'Led by the user of the signer. An operation of this server; the published descriptions have none for it. An id or',
    'a parent URL that is another channel’s is refused, and so is a parent URL that names another channel by its id.',
  ].join(' '),
  body: Type.Object({ ...editMembers, channel_id: channelIdMember, parent_url: parentUrlMember }),
  reply: ChannelResponse,
  notFound: 'There is no such signer.',
  forbidden: mayNotAct,
  conflict: 'The id or the parent URL is taken.',

  async handle({ signers, writerDb, hydrator, clock }, body, { appId }) {
    const { signer_uuid: signerUuid, channel_id: id, parent_url: parentUrl, ...edits } = body
    const { fid } = await signers.findFresh({ signerUuid, appId, permission: 'any write' })
    const now = Math.floor(clock() / 1000)
    const outcome = await createChannel(
      { db: writerDb, invalidation: hydrator.invalidation },
      fid,
      { id, parentUrl, edits },
      now,
    )
    return await savedChannelJson(outcome, { hydrator, id, fid })
  },
})
