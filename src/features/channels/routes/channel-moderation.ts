import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { invalidField } from '../../../api/invalid-field.js'
import { castHashParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { castHashBytes } from '../../../protocol/bytes.js'
import { ChannelMemberAction, ChannelModerateAction, MessageType } from '../../../protocol/definitions.js'
import { defineOperation, type Operation, type OperationContext } from '../../operation.js'
import type { Author } from '../../publishing/author.js'
import { actAs, signerUuidMember } from '../../publishing/routes/acting.js'
import { requireChannel } from '../find-channel.js'
import {
  findProtocolChannel,
  type ProtocolChannel,
  publishMember,
  publishToChannel,
} from '../protocol-channels.js'

const channelMembers = {
  signer_uuid: signerUuidMember,
  channel_id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
}

const banBody = Type.Object({
  ...channelMembers,
  fid: fidParameter({ minimum: 0, description: 'Fid of the user.', examples: [191] }),
})

const hideBody = Type.Object({
  ...channelMembers,
  cast_hash: castHashParameter({
    description: 'Hash of the cast.',
    examples: ['0x71d5225f77e0164388b1d4c120825f3a2c1f131c'],
  }),
})

const onlyProtocol =
  'Only channels of the protocol have moderation; others are a 400. This operation is Plaza’s own; the hosted API ' +
  'has none.'
const mayNotModerate = 'The signer may not act, or its user neither owns nor moderates the channel.'

/** Publishes a message of moderation as the user of the signer. */
async function moderate(
  context: OperationContext,
  caller: Caller,
  { signer_uuid: signerUuid, channel_id: id }: { signer_uuid: string; channel_id: string },
  publish: (author: Author, channel: ProtocolChannel) => Promise<void>,
): Promise<void> {
  await actAs(context, { signerUuid, caller, permission: 'WRITE_ALL' }, async (author) => {
    const channel = await findProtocolChannel(context, id)
    if (channel !== null) return await publish(author, channel)
    await requireChannel(context.writerDb, id, 'channel_id')
    throw invalidField('channel_id', 'is not a channel of the protocol, so it has no moderation')
  })
}

function banOperation(method: 'POST' | 'DELETE', summary: string, description: string, message: string) {
  const action = method === 'POST' ? ChannelMemberAction.BAN : ChannelMemberAction.UNBAN
  return defineOperation({
    method,
    path: 'channel/ban',
    tag: 'Channels',
    summary,
    description: `${description} ${onlyProtocol}`,
    example: { reply: { success: true, message } },
    body: banBody,
    reply: OperationResponse,
    notFound: 'There is no such signer or channel.',
    forbidden: mayNotModerate,
    conflict: 'The user is in no state for it: banned already, or not banned.',

    async handle(context, body, caller) {
      await moderate(context, caller, body, (author, channel) =>
        publishMember(context, author, channel, body.fid, action),
      )
      return { success: true, message }
    },
  })
}

function hideOperation(method: 'POST' | 'DELETE', summary: string, description: string, message: string) {
  const action = method === 'POST' ? ChannelModerateAction.HIDE : ChannelModerateAction.UNHIDE
  return defineOperation({
    method,
    path: 'channel/hide',
    tag: 'Channels',
    summary,
    description: `${description} ${onlyProtocol}`,
    example: { reply: { success: true, message } },
    body: hideBody,
    reply: OperationResponse,
    notFound: 'There is no such signer or channel.',
    forbidden: mayNotModerate,
    conflict: 'The channel has its maximum of casts whose moderation is stored.',

    async handle(context, body, caller) {
      const castHash = castHashBytes(body.cast_hash)
      await moderate(context, caller, body, (author, channel) => {
        const channelModerateBody = { channelId: channel.channelId, castHash, action }
        const content = { type: MessageType.CHANNEL_MODERATE, channelModerateBody }
        return publishToChannel(context, author, channel, content)
      })
      return { success: true, message }
    },
  })
}

/** Operations of the owner and the moderators of a channel of the protocol. */
export const channelModerationOperations: readonly Operation[] = [
  banOperation(
    'POST',
    'Ban a user from a channel',
    'A banned user loses the membership and cannot become a member, and feeds and searches of the channel leave out its casts.',
    'banned',
  ),
  banOperation('DELETE', 'End a ban from a channel', 'The user may become a member again.', 'not banned'),
  hideOperation(
    'POST',
    'Hide a cast from a channel',
    'Feeds and searches of the channel leave the cast out. Elsewhere it is shown.',
    'hidden',
  ),
  hideOperation(
    'DELETE',
    'Show a hidden cast in a channel',
    'Takes the hiding of a cast back.',
    'not hidden',
  ),
]
