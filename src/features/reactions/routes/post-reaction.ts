import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { idemConflict, mayNotAct } from '../../publishing/routes/acting.js'
import { changeReaction, ReactionReqBody } from './change-reaction.js'

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
