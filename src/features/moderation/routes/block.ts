import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { defineOperation } from '../../operation.js'
import { mayNotAct } from '../../publishing/routes/acting.js'
import { BlockReqBody, changeBlock } from './change-block.js'

/** `POST block` */
export const block = defineOperation({
  method: 'POST',
  path: 'block',
  tag: 'Mute, block, ban',
  summary: 'Blocks a user',
  description: 'Neither sees the other in lists from now on. Blocks are public: messages of the protocol.',
  body: BlockReqBody,
  reply: OperationResponse,
  notFound: 'There is no such signer or user.',
  forbidden: mayNotAct,

  handle: (context, body, caller) => changeBlock(context, 'block', body, caller),
})
