import { Type } from '@sinclair/typebox'
import { choiceParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import type { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { PlazaError } from '../../../platform/errors.js'
import { signerUuidMember } from '../../publishing/routes/acting.js'
import { MAX_CALLS_PER_HOUR, type MembershipResult } from '../membership.js'
import type { MembershipRefusal } from '../membership-rules.js'

const membershipMembers = {
  signer_uuid: signerUuidMember,
  channel_id: textParameter({ maxLength: 256, description: 'The channel.' }),
  role: choiceParameter(['member', 'moderator', 'owner'], {
    description: '`owner` is refused: the owner of a channel is its lead.',
  }),
}

/** Who is invited or removed, as the published client sends it. */
export const ChannelMemberReqBody = Type.Object({
  ...membershipMembers,
  fid: fidParameter({ minimum: 0, description: 'The user.' }),
})

/** An answer to an invite, as the published client sends it. */
export const RespondChannelInviteReqBody = Type.Object({
  ...membershipMembers,
  accept: Type.Boolean({ description: 'True accepts, false rejects.' }),
})

/** What is said of the limit, for the documentation. */
export const callLimitText =
  `A user may invite, answer and remove ${MAX_CALLS_PER_HOUR} times an hour and channel, refused calls counted; ` +
  'beyond it: 429.'

/** What a change came to. The next read of this server shows it. */
export function membershipReply(outcome: MembershipResult | MembershipRefusal): OperationResponse {
  if ('code' in outcome) {
    const { code, message, property, retryAfterSeconds } = outcome
    throw new PlazaError(code, message, { property, retryAfterSeconds })
  }
  return { success: true, message: outcome.message }
}
