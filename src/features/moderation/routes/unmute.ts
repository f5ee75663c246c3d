import { MuteResponse } from '../../../graph/view/schema/relation.js'
import { defineOperation } from '../../operation.js'
import { unmute as unmuteUser } from '../mutes.js'
import { MuteReqBody, muteKeyText } from './mute-body.js'

/** `DELETE mute` */
export const unmute = defineOperation({
  method: 'DELETE',
  path: 'mute',
  tag: 'Mute, block, ban',
  summary: 'Ends a mute',
  description: `Who is not muted stays so, and the answer is a success. ${muteKeyText}`,
  body: MuteReqBody,
  reply: MuteResponse,

  async handle({ writerDb, hydrator }, { fid, muted_fid }) {
    const wasMuted = await unmuteUser({ db: writerDb, invalidation: hydrator.invalidation }, fid, muted_fid)
    return { success: true, message: wasMuted ? 'not muted any more' : 'was not muted' }
  },
})
