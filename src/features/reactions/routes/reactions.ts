import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { choiceParameter, fidParameter, textParameter } from '../../../api/parameters.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { prepareChanges, publishChange } from '../../publishing/changes.js'
import { publishOnce } from '../../publishing/idempotency.js'
import { draftReaction } from '../../publishing/reactions.js'
import {
  actAs,
  idemConflict,
  idemMember,
  mayNotAct,
  signerUuidMember,
} from '../../publishing/routes/acting.js'

/** A reaction to add or to take back, as the published client sends it. */
export const ReactionReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  reaction_type: choiceParameter(['like', 'recast'], { description: 'What kind of reaction it is.' }),
  target: textParameter({ description: 'What is reacted to: the hash of a cast, or a URL.' }),
  target_author_fid: Type.Optional(
    fidParameter({ description: 'The author of the cast. Needed for a cast that is not here.' }),
  ),
  idem: idemMember,
})

const actions = {
  add: { operation: 'POST reaction', permission: 'PUBLISH_REACTION', message: 'the reaction is published' },
  remove: {
    operation: 'DELETE reaction',
    permission: 'DELETE_REACTION',
    message: 'the reaction is taken back',
  },
} as const

/** Adds a reaction or takes it back. What is so already stays as it is. */
async function changeReaction(
  context: OperationContext,
  action: 'add' | 'remove',
  { signer_uuid: signerUuid, idem, ...body }: (typeof ReactionReqBody)['static'],
  caller: Caller,
) {
  const { operation, permission, message } = actions[action]
  const replyFor = { success: true, message }
  return await actAs(context, { signerUuid, caller, permission }, async (author) => {
    const draft = () =>
      draftReaction(context.writerDb, action, {
        type: body.reaction_type,
        target: body.target,
        targetAuthorFid: body.target_author_fid,
      })
    if (idem === undefined) {
      await publishChange(context, author, await draft())
      return replyFor
    }
    const request = { operation, signer_uuid: signerUuid, ...body }
    return await publishOnce(context, { appId: caller.appId, idem, content: request }, async () => {
      const [prepared] = await prepareChanges(context, author, [await draft()])
      return { message: prepared?.message ?? null, replyFor: JSON.stringify(replyFor) }
    })
  })
}

/** `POST reaction` */
export const postReaction = defineOperation({
  method: 'POST',
  path: 'reaction',
  tag: 'Reaction',
  summary: 'Like or recast',
  description: 'A cast, or anything that has an address. What is liked already stays liked.',
  body: ReactionReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or cast.',
  conflict: idemConflict,

  handle: (context, body, caller) => changeReaction(context, 'add', body, caller),
})

/** `DELETE reaction` */
export const deleteReaction = defineOperation({
  method: 'DELETE',
  path: 'reaction',
  tag: 'Reaction',
  summary: 'Take a like or a recast back',
  description: 'Taking back what was never there succeeds, too.',
  body: ReactionReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or cast.',
  conflict: idemConflict,

  handle: (context, body, caller) => changeReaction(context, 'remove', body, caller),
})
