import { Type } from '@sinclair/typebox'
import { fidParameter, listParameter, viewerFidParameter } from '../../../api/parameters.js'
import { jsonArray } from '../../../graph/view/json.js'
import { BulkUsersResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'

/** `GET user/bulk` */
export const userBulk = defineOperation({
  method: 'GET',
  path: 'user/bulk',
  tag: 'User',
  summary: 'Users by their fids',
  description: 'In the order that was asked for. Fids that are not registered are left out.',
  query: Type.Object({
    fids: listParameter(fidParameter({ description: 'A user.' }), {
      maxItems: 100,
      description: 'Whom.',
    }),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkUsersResponse,

  async handle({ hydrator }, { fids, viewer_fid }) {
    const users = await hydrator.users(fids, viewer_fid)
    return `{"users":${jsonArray(fids.flatMap((fid) => users.get(fid) ?? []))}}`
  },
})
