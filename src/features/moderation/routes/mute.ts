import { invalidField } from '../../../api/invalid-field.js'
import { MuteResponse } from '../../../graph/view/schema/relation.js'
import { defineOperation } from '../../operation.js'
import { mute as muteUser } from '../mutes.js'
import { MuteReqBody, muteKeyText } from './mute-body.js'
import { requireUsers } from './relation-body-members.js'

/** `POST mute` */
export const mute = defineOperation({
  method: 'POST',
  path: 'mute',
  tag: 'Mute, block, ban',
  summary: 'Mutes a user for another',
  description: `Lists that \`fid\` views leave the muted out; the muted see everything as before. ${muteKeyText}`,
  body: MuteReqBody,
  reply: MuteResponse,
  notFound: 'One of the two is no user.',

  async handle({ writerDb, hydrator, clock }, { fid, muted_fid }) {
    if (fid === muted_fid) throw invalidField('muted_fid', 'must be another user')
    await requireUsers(writerDb, [fid], 'fid')
    await requireUsers(writerDb, [muted_fid], 'muted_fid')
    const isNew = await muteUser(
      { db: writerDb, invalidation: hydrator.invalidation },
      fid,
      muted_fid,
      Math.floor(clock() / 1000),
    )
    return { success: true, message: isNew ? 'muted' : 'muted already' }
  },
})
