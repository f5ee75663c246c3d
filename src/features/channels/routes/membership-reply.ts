import { Type } from '@sinclair/typebox'
import { choiceParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import type { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { PlazaError } from '../../../platform/errors.js'
import { signerUuidMember } from '../../publishing/routes/acting.js'
import { MAX_CALLS_PER_HOUR, type MembershipResult } from '../membership.js'
import type { MembershipRefusal } from '../membership-rules.js'

const membershipMembers = {
  signer_uuid: signerUuidMember,
  channel_id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
  role: choiceParameter(['member', 'moderator', 'owner'], {
    description: 'Role in the channel. `owner` is a 400: the owner is the lead of the channel.',
  }),
}

/** The body that invites or removes a member, as published clients send it. */
export const ChannelMemberReqBody = Type.Object({
  ...membershipMembers,
  fid: fidParameter({ minimum: 0, description: 'Fid of the user.', examples: [191] }),
})

/** The body that answers an invite, as published clients send it. */
export const RespondChannelInviteReqBody = Type.Object({
  ...membershipMembers,
  accept: Type.Boolean({ description: 'true accepts the invite, false rejects it.' }),
})

/** The part of a description that states the limit of calls. */
export const callLimitText =
  `A user may invite, answer and remove ${MAX_CALLS_PER_HOUR} times an hour in a channel, including refused calls; ` +
  'more calls are a 429.'

/** Turns the outcome of a change into a reply. Throws a refusal. */
export function membershipReply(outcome: MembershipResult | MembershipRefusal): OperationResponse {
  if ('code' in outcome) {
    const { code, message, property, retryAfterSeconds } = outcome
    throw new PlazaError(code, message, { property, retryAfterSeconds })
  }
  return { success: true, message: outcome.message }
}
