import { Type } from '@sinclair/typebox'
import { listBans } from '../../../relations/bans.js'
import { BanListResponse } from '../../../views/schema/relation.js'
import { cursorKind, keyPart } from '../../cursor.js'
import { defineOperation } from '../../operation.js'
import { cursorParameter, limitParameter } from '../../parameters.js'
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
