import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { BanListResponse, BanResponse } from '../../../graph/view/schema/relation.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { ban as banUsers, listBans, MAX_BANS, unban as unbanUsers } from '../bans.js'
import { relationListJson, requireUsers } from './relation-list.js'

const MAX_FIDS = 100

/** Whom to ban, as the published client sends it. */
export const BanReqBody = Type.Object({
  fids: Type.Array(fidParameter({ minimum: 0, description: 'A user.' }), {
    minItems: 1,
    maxItems: MAX_FIDS,
    description: 'The users. One that is given twice counts once.',
  }),
})

/** `POST ban` */
export const ban = defineOperation({
  method: 'POST',
  path: 'ban',
  tag: 'Mute, block, ban',
  summary: 'Bans users from the app of the API key',
  description: [
    'From now on they, their casts and their reactions are in no feed, list or search that the app asks for, whoever',
    'views it. Other apps see them as before. All of them or, where one is no user, none.',
  ].join(' '),
  body: BanReqBody,
  reply: BanResponse,
  notFound: 'One of them is no user.',
  conflict: `The app would ban more than ${MAX_BANS} users.`,

  async handle({ writerDb, hydrator, clock }, { fids }, { appId }) {
    await requireUsers(writerDb, fids, 'fids')
    const added = await banUsers(
      { db: writerDb, invalidation: hydrator.invalidation },
      appId,
      fids,
      Math.floor(clock() / 1000),
    )
    if (added === null) {
      throw new PlazaError('conflict', `an app bans at most ${MAX_BANS} users`, { property: 'fids' })
    }
    return { success: true, message: `newly banned: ${added}` }
  },
})

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
