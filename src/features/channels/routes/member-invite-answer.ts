import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { answerInvite } from '../membership.js'
import { callLimitText, membershipReply, RespondChannelInviteReqBody } from './membership-reply.js'

/** `PUT channel/member/invite` */
export const channelMemberInviteAnswer = defineOperation({
  method: 'PUT',
  path: 'channel/member/invite',
  tag: 'Channel',
  summary: 'Accepts or rejects an invite to a channel',
  description: `By the signer of who was invited. An answer is final: it takes a new invite to change it. ${callLimitText}`,
  body: RespondChannelInviteReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or channel, or no open invite for the role.',
  forbidden: 'The signer may not act.',
  conflict: 'The invite was answered already.',

  async handle({ signers, writerDb, hydrator, clock }, { signer_uuid, channel_id, role, accept }, { appId }) {
    const { fid } = await signers.findFresh({ signerUuid: signer_uuid, appId, permission: 'any write' })
    const membershipRequest = { channelId: channel_id, fid, role, accept }
    return membershipReply(
      await answerInvite(
        { db: writerDb, invalidation: hydrator.invalidation },
        membershipRequest,
        Math.floor(clock() / 1000),
      ),
    )
  },
})
