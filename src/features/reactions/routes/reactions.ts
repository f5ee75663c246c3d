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

/** The body of both operations, as published clients send it. */
export const ReactionReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  reaction_type: choiceParameter(['like', 'recast'], { description: 'Type of the reaction.' }),
  target: textParameter({
    description: 'Target of the reaction: hash of a cast, or a URL.',
    examples: ['0x71d5225f77e0164388b1d4c120825f3a2c1f131c'],
  }),
  target_author_fid: Type.Optional(
    fidParameter({
      description: 'Fid of the author of the cast. Required if this server does not have the cast.',
      examples: [3],
    }),
  ),
  idem: idemMember,
})

const actions = {
  add: { operation: 'POST reaction', permission: 'PUBLISH_REACTION', message: 'the reaction is published' },
  remove: {
    operation: 'DELETE reaction',
    permission: 'DELETE_REACTION',
    message: 'the reaction is deleted',
  },
} as const

/** Publishes a reaction or its removal. A repeated request succeeds. */
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
  tag: 'Reactions',
  summary: 'Post a reaction',
  description: 'Likes or recasts a cast or a URL. Repeating a reaction succeeds without effect.',
  example: { reply: { success: true, message: 'the reaction is published' } },
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
  tag: 'Reactions',
  summary: 'Delete a reaction',
  description: 'Removes a like or a recast. Removing a reaction that does not exist succeeds.',
  example: { reply: { success: true, message: 'the reaction is deleted' } },
  body: ReactionReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or cast.',
  conflict: idemConflict,

  handle: (context, body, caller) => changeReaction(context, 'remove', body, caller),
})
