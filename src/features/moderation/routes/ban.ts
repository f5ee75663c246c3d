import { BanResponse } from '../../../graph/view/schema/relation.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'
import { ban as banUsers, MAX_BANS } from '../bans.js'
import { BanReqBody } from './ban-body.js'
import { requireUsers } from './relation-body-members.js'

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
