import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { defineAdminOperation } from '../../admin-operation.js'
import { appParams, unknownError } from '../../apps/admin/app-operations.js'
import { findApp } from '../../apps/apps.js'
import { COUNTED_TO, readBanEffect } from '../ban-effect.js'
import { MAX_BANS, requireUsers } from '../relations.js'
import { BanEffectResponse } from '../schema/ban-effect.js'

/** `GET /admin/apps/{id}/bans/{fid}` */
export const getBanEffectOperation = defineAdminOperation({
  method: 'GET',
  path: 'apps/{id}/bans/{fid}',
  summary: 'Fetch what a ban of a user affects',
  description:
    'Whether an app bans the user, and what its feeds, lists and searches leave out while it does. `followers` and ' +
    '`following` are the counters of the user; other numbers are counted up to `counted_to`.',
  params: Type.Object({ ...appParams.properties, fid: fidParameter({ description: 'Fid of the user.' }) }),
  reply: BanEffectResponse,
  notFound: 'There is no app with this id, or no user with this fid.',

  async handle({ writerDb }, _query, { id, fid }) {
    if ((await findApp(writerDb, id)) === null) throw unknownError('app')
    await requireUsers(writerDb, [fid], 'fid')
    const { bannedAt, ...counts } = await readBanEffect(writerDb, id, fid)
    return {
      effect: {
        object: 'ban_effect' as const,
        fid,
        banned_at: bannedAt === null ? null : new Date(bannedAt * 1000).toISOString(),
        max_bans: MAX_BANS,
        counted_to: COUNTED_TO,
        ...counts,
      },
    }
  },
})
