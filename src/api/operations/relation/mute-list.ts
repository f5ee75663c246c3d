import { Type } from '@sinclair/typebox'
import { listMutes } from '../../../relations/mutes.js'
import { MuteListResponse } from '../../../views/schema/relation.js'
import { cursorKind, keyPart } from '../../cursor.js'
import { defineOperation } from '../../operation.js'
import { cursorParameter, fidParameter, limitParameter } from '../../parameters.js'
import { relationListJson } from './relation-list.js'

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
