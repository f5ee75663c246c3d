import { BanResponse } from '../../../graph/view/schema/relation.js'
import { defineOperation } from '../../operation.js'
import { unban as unbanUsers } from '../bans.js'
import { BanReqBody } from './ban-body.js'

/** `DELETE ban` */
export const unban = defineOperation({
  method: 'DELETE',
  path: 'ban',
  tag: 'Mute, block, ban',
  summary: 'Ends bans of the app of the API key',
  description: 'Who is not banned stays so, and the answer is a success.',
  body: BanReqBody,
  reply: BanResponse,

  async handle({ writerDb, hydrator }, { fids }, { appId }) {
    const removed = await unbanUsers({ db: writerDb, invalidation: hydrator.invalidation }, appId, fids)
    return { success: true, message: `not banned any more: ${removed}` }
  },
})
