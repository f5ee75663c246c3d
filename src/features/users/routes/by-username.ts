import { Type } from '@sinclair/typebox'
import { textParameter, viewerFidParameter } from '../../../api/parameters.js'
import { findFidByUsername } from '../../../graph/query/users.js'
import { UserResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'
import { requireUser } from './require-user.js'

/** `GET user/by_username` */
export const userByUsername = defineOperation({
  method: 'GET',
  path: 'user/by_username',
  tag: 'User',
  summary: 'A user by its name',
  description: 'Capital letters count as small ones. A user without a name is found as it is shown: `!7`.',
  query: Type.Object({
    username: textParameter({ description: 'The name, without `@`.' }),
    viewer_fid: viewerFidParameter,
  }),
  reply: UserResponse,
  notFound: 'There is no user with this name.',

  async handle({ db, hydrator }, { username, viewer_fid }) {
    return await requireUser(hydrator, await findFidByUsername(db, username), {
      viewerFid: viewer_fid,
      property: 'username',
      missing: 'there is no user of this name',
    })
  },
})
