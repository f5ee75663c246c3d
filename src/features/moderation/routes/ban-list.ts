import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, limitParameter } from '../../../api/parameters.js'
import { BanListResponse } from '../../../graph/view/schema/relation.js'
import { defineOperation } from '../../operation.js'
import { listBans } from '../bans.js'
import { relationListJson } from './relation-list.js'

const cursors = cursorKind('bans of an app', keyPart.integer, keyPart.integer)

/** `GET ban/list` */
export const banList = defineOperation({
  method: 'GET',
  path: 'ban/list',
  tag: 'Mute, block, ban',
  summary: 'Whom the app of the API key bans, the newest first',
  query: Type.Object({ limit: limitParameter({ maximum: 100, default: 20 }), cursor: cursorParameter }),
  reply: BanListResponse,

  async handle({ db, hydrator }, { limit, cursor }, { appId }) {
    const found = await listBans(db, appId, limit + 1, cursors.decode(cursor))
    const names = { list: 'bans', object: 'ban', user: 'banned', since: 'banned_at' } as const
    return await relationListJson(hydrator, found, limit, cursors, names)
  },
})
