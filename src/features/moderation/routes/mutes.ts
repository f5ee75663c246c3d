import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { invalidField } from '../../../api/invalid-field.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { MuteListResponse, MuteResponse } from '../../../graph/view/schema/relation.js'
import { defineOperation } from '../../operation.js'
import { listMutes, mute as muteUser, unmute as unmuteUser } from '../mutes.js'
import { relationListJson, requireUsers } from './relation-list.js'

/** The body of both operations, as published clients send it. */
export const MuteReqBody = Type.Object({
  fid: fidParameter({ minimum: 0, description: 'Fid of the muting user.' }),
  muted_fid: fidParameter({ minimum: 0, description: 'Fid of the muted user.', examples: [191] }),
})

/** The part of a description that states who may call. */
const muteKeyText = 'No signer is required: any app of this server may call it for any user.'

/** `POST mute` */
export const mute = defineOperation({
  method: 'POST',
  path: 'mute',
  tag: 'Moderation',
  summary: 'Mute fid',
  description:
    'Leaves the muted user out of lists that `fid` views. The muted user notices nothing. Muting a muted ' +
    `user succeeds. ${muteKeyText}`,
  body: MuteReqBody,
  reply: MuteResponse,
  notFound: 'One of the two fids is not registered.',

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
    return { success: true, message: isNew ? 'muted' : 'already muted' }
  },
})

/** `DELETE mute` */
export const unmute = defineOperation({
  method: 'DELETE',
  path: 'mute',
  tag: 'Moderation',
  summary: 'Unmute fid',
  description: `Ends a mute. Unmuting a user who is not muted succeeds. ${muteKeyText}`,
  example: { reply: { success: true, message: 'unmuted' } },
  body: MuteReqBody,
  reply: MuteResponse,

  async handle({ writerDb, hydrator }, { fid, muted_fid }) {
    const wasMuted = await unmuteUser({ db: writerDb, invalidation: hydrator.invalidation }, fid, muted_fid)
    return { success: true, message: wasMuted ? 'unmuted' : 'was not muted' }
  },
})

const cursors = cursorKind('mutes of a user', keyPart.integer, keyPart.integer)

/** `GET mute/list` */
export const muteList = defineOperation({
  method: 'GET',
  path: 'mute/list',
  tag: 'Moderation',
  summary: 'Fetch muted fids of user',
  description: 'Newest mute first.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the muting user.' }),
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
