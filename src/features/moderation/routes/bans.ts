import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { BanListResponse, BanResponse } from '../../../graph/view/schema/relation.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { ban as banUsers, listBans, MAX_BANS, unban as unbanUsers } from '../bans.js'
import { relationListJson, requireUsers } from './relation-list.js'

const MAX_FIDS = 100

/** The body of both operations, as published clients send it. */
export const BanReqBody = Type.Object({
  fids: Type.Array(fidParameter({ minimum: 0, description: 'Fid of a user.', examples: [191] }), {
    minItems: 1,
    maxItems: MAX_FIDS,
    description: 'Fids of the users. Duplicates count once.',
  }),
})

/** `POST ban` */
export const ban = defineOperation({
  method: 'POST',
  path: 'ban',
  tag: 'Moderation',
  summary: 'Ban fids from app',
  description:
    'Hides the users, their casts and their reactions from all feeds, lists and searches of the app that ' +
    'the API key belongs to. Other apps are not affected. If one fid is not registered, nobody is banned.',
  body: BanReqBody,
  reply: BanResponse,
  notFound: 'One of the fids is not registered.',
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
  tag: 'Moderation',
  summary: 'Unban fids from app',
  description:
    'Ends bans of the app that the API key belongs to. Unbanning a user who is not banned succeeds.',
  example: { reply: { success: true, message: 'unbanned: 1' } },
  body: BanReqBody,
  reply: BanResponse,

  async handle({ writerDb, hydrator }, { fids }, { appId }) {
    const removed = await unbanUsers({ db: writerDb, invalidation: hydrator.invalidation }, appId, fids)
    return { success: true, message: `unbanned: ${removed}` }
  },
})

const cursors = cursorKind('bans of an app', keyPart.integer, keyPart.integer)

/** `GET ban/list` */
export const banList = defineOperation({
  method: 'GET',
  path: 'ban/list',
  tag: 'Moderation',
  summary: 'Fetch banned fids of app',
  description: 'Users whom the app of the API key bans, newest ban first.',
  query: Type.Object({ limit: limitParameter({ maximum: 100, default: 20 }), cursor: cursorParameter }),
  reply: BanListResponse,

  async handle({ db, hydrator }, { limit, cursor }, { appId }) {
    const found = await listBans(db, appId, limit + 1, cursors.decode(cursor))
    const names = { list: 'bans', object: 'ban', user: 'banned', since: 'banned_at' } as const
    return await relationListJson(hydrator, found, limit, cursors, names)
  },
})
