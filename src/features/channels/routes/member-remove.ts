import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { removeMember } from '../membership.js'
import { ChannelMemberReqBody, callLimitText, membershipReply } from './membership-reply.js'

/** `DELETE channel/member` */
export const channelMemberRemove = defineOperation({
  method: 'DELETE',
  path: 'channel/member',
  tag: 'Channel',
  summary: 'Takes a role in a channel from a user, or withdraws the invite to it',
  description: [
    'The owner and moderators remove members; the owner alone removes moderators and withdraws invites to become one.',
    '`moderator` leaves a moderator as a member; `member` ends the membership whatever the role, and the open invite',
    'with it. Who was removed comes back by a new invite only. Members may leave, and moderators step down, by their',
    'own signer.',
    callLimitText,
  ].join(' '),
  body: ChannelMemberReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or channel, or the user has neither the role nor an invite to it.',
  forbidden: 'The signer may not act, or who asks may not remove this user; nobody removes the owner.',

  async handle({ signers, writerDb, hydrator, clock }, { signer_uuid, channel_id, fid, role }, { appId }) {
    const { fid: callerFid } = await signers.findFresh({
      signerUuid: signer_uuid,
      appId,
      permission: 'any write',
    })
    const membershipRequest = { channelId: channel_id, callerFid, fid, role }
    return membershipReply(
      await removeMember(
        { db: writerDb, invalidation: hydrator.invalidation },
        membershipRequest,
        Math.floor(clock() / 1000),
      ),
    )
  },
})
