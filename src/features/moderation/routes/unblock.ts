import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { mayNotAct } from '../../publishing/routes/acting.js'
import { BlockReqBody, changeBlock } from './change-block.js'

/** `DELETE block` */
export const unblock = defineOperation({
  method: 'DELETE',
  path: 'block',
  tag: 'Mute, block, ban',
  summary: 'Ends a block',
  description: 'Who is not blocked stays so, and the answer is a success.',
  body: BlockReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer.',
  forbidden: mayNotAct,

  handle: (context, body, caller) => changeBlock(context, 'unblock', body, caller),
})
