import { Type } from '@sinclair/typebox'
import { fidParameter, viewerFidParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { readPopularCasts } from '../../../graph/query/feeds-ranked.js'
import { jsonArray } from '../../../graph/view/json.js'
import { BulkCastsResponse } from '../../../graph/view/schema/cast.js'
import { defineOperation } from '../../operation.js'

const MAX_CASTS = 10

/** `GET feed/user/popular` */
export const feedUserPopular = defineOperation({
  method: 'GET',
  path: 'feed/user/popular',
  tag: 'Feed',
  summary: 'The ten casts of a user that most react and reply to',
  description: 'By the sum of likes, recasts and replies; of equals the latest.',
  query: Type.Object({
    fid: fidParameter({ description: 'Whose casts.' }),
    viewer_fid: viewerFidParameter,
  }),
  reply: BulkCastsResponse,

  async handle({ db, hydrator }, { fid, viewer_fid: viewerFid }, caller) {
    const viewer = await viewerOf({ db, hydrator }, caller, viewerFid)
    const hashes = await readPopularCasts(db, fid, { count: MAX_CASTS, ...viewer })
    const casts = await hydrator.casts(hashes, viewerFid)
    return `{"casts":${jsonArray(hashes.flatMap((hash) => casts.get(hash) ?? []))}}`
  },
})
