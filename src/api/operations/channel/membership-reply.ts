import { Type } from '@sinclair/typebox'
import { MAX_CALLS_AN_HOUR, type MembershipChanged } from '../../../channels/membership.js'
import type { MembershipRefusal } from '../../../channels/membership-rules.js'
import { PlazaError } from '../../../errors.js'
import type { Hydrator } from '../../../hydrate/hydrator.js'
import type { OperationResponse } from '../../../views/schema/operation-response.js'
import { choiceParameter, textParameter } from '../../parameters.js'
import { signerUuidMember } from '../publishing/acting.js'
import { fidMember } from '../relation/relation-members.js'

const asked = {
  signer_uuid: signerUuidMember,
  channel_id: textParameter({ maxLength: 256, description: 'The channel.' }),
  role: choiceParameter(['member', 'moderator', 'owner'], {
    description: '`owner` is refused: the owner of a channel is its lead.',
  }),
}

/** Who is invited or removed, as the published client sends it. */
export const ChannelMemberReqBody = Type.Object({ ...asked, fid: fidMember('The user.') })

/** An answer to an invite, as the published client sends it. */
export const RespondChannelInviteReqBody = Type.Object({
  ...asked,
  accept: Type.Boolean({ description: 'True accepts, false rejects.' }),
})

/** What is said of the limit, for the documentation. */
export const callLimitText =
  `A user may invite, answer and remove ${MAX_CALLS_AN_HOUR} times an hour and channel, refused calls counted; ` +
  'beyond it: 429.'

/** What a change came to. The next read of this server shows it. */
export function membershipReply(
  outcome: MembershipChanged | MembershipRefusal,
  hydrator: Hydrator,
): OperationResponse {
  if ('code' in outcome) {
    const { code, message, property, retryAfterSeconds } = outcome
    throw new PlazaError(code, message, { property, retryAfterSeconds })
  }
  hydrator.drop(outcome.staleViews)
  return { success: true, message: outcome.message }
}
