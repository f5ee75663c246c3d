import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { MuteListResponse, MuteResponse } from '../../../graph/view/schema/relation.js'
import { defineOperation } from '../../operation.js'
import { listMutes, mute as muteUser, unmute as unmuteUser } from '../mutes.js'
import { relationListJson, requireUsers } from './relation-list.js'

/** Who mutes whom, as the published client sends it. */
export const MuteReqBody = Type.Object({
  fid: fidParameter({ minimum: 0, description: 'Who mutes.' }),
  muted_fid: fidParameter({ minimum: 0, description: 'Who is muted.' }),
})

/** What is said of who may ask, for the documentation. */
const muteKeyText =
  'It takes no signer: the API key is trusted to ask for its users, so any app of this server may.'

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

const cursors = cursorKind('mutes of a user', keyPart.integer, keyPart.integer)

/** `GET mute/list` */
export const muteList = defineOperation({
  method: 'GET',
  path: 'mute/list',
  tag: 'Mute, block, ban',
  summary: 'Whom a user mutes, the newest first',
  query: Type.Object({
    fid: fidParameter({ description: 'Who mutes.' }),
    limit: limitParameter({ maximum: 100, default: 20 }),
    cursor: cursorParameter,
  }),
  reply: MuteListResponse,

  async handle({ db, hydrator }, { fid, limit, cursor }) {
    const found = await listMutes(db, fid, limit + 1, cursors.decode(cursor))
    const names = { list: 'mutes', object: 'mute', user: 'muted', since: 'muted_at' } as const
    return await relationListJson(hydrator, found, limit, cursors, names)
  },
})
