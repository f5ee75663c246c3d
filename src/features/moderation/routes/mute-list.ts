import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { MuteListResponse } from '../../../graph/view/schema/relation.js'
import { defineOperation } from '../../operation.js'
import { listMutes } from '../mutes.js'
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
