import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { inviteMember } from '../membership.js'
import { ChannelMemberReqBody, callLimitText, membershipReply } from './membership-reply.js'

/** `POST channel/member/invite` */
export const channelMemberInvite = defineOperation({
  method: 'POST',
  path: 'channel/member/invite',
  tag: 'Channel',
  summary: 'Invites a user to a channel',
  description: [
    'The owner and moderators invite members, who follow the channel or who invites. The owner alone invites members',
    'to become moderators; active and invited ones are ten at most. A user has one open invite to a channel at a time;',
    'who is invited already, or has the role or a higher one, stays as it is, and the answer is a success.',
    callLimitText,
  ].join(' '),
  body: ChannelMemberReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer, channel or user.',
  forbidden: 'The signer may not act, or who asks may not invite.',
  conflict: 'The channel has, or has invited, as many moderators as it may.',

  async handle({ signers, writerDb, hydrator, clock }, { signer_uuid, channel_id, fid, role }, { appId }) {
    const { fid: callerFid } = await signers.findFresh({
      signerUuid: signer_uuid,
      appId,
      permission: 'any write',
    })
    const membershipRequest = { channelId: channel_id, callerFid, fid, role }
    return membershipReply(
      await inviteMember(
        { db: writerDb, invalidation: hydrator.invalidation },
        membershipRequest,
        Math.floor(clock() / 1000),
      ),
    )
  },
})
