import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { idemConflict, mayNotAct } from '../../publishing/routes/acting.js'
import { changeReaction, ReactionReqBody } from './change-reaction.js'

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
