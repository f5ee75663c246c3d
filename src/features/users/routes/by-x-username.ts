import { Type } from '@sinclair/typebox'
import { textParameter, viewerFidParameter } from '../../../api/parameters.js'
import { findFidsByXUsername } from '../../../graph/query/users.js'
import { jsonArray } from '../../../graph/view/json.js'
import { BulkUsersResponse } from '../../../graph/view/schema/user.js'
import { PlazaError } from '../../../platform/errors.js'
import { defineOperation } from '../../operation.js'

/** `GET user/by_x_username` */
export const usersByXUsername = defineOperation({
  method: 'GET',
  path: 'user/by_x_username',
  tag: 'User',
  summary: 'Users by their name on X',
  description: [
    'Users say of themselves which name they have on X, so there may be several: the best known come first,',
    'at most 100. Capital letters count as small ones.',
  ].join(' '),
  query: Type.Object({
    x_username: textParameter({ description: 'The name on X, without `@`.' }),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkUsersResponse,
  notFound: 'Nobody says to have this name on X.',

  async handle({ db, hydrator }, { x_username, viewer_fid }) {
    const fids = await findFidsByXUsername(db, x_username.replace(/^@/, ''))
    if (fids.length === 0) {
      throw new PlazaError('not_found', 'nobody says to have this name on X', { property: 'x_username' })
    }
    const users = await hydrator.users(fids, viewer_fid)
    return `{"users":${jsonArray(fids.flatMap((fid) => users.get(fid) ?? []))}}`
  },
})
