import { Type } from '@sinclair/typebox'
import { fidParameter, limitParameter, viewerFidParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { readSuggested } from '../../../graph/query/follows-between.js'
import { loadHiddenFids } from '../../../graph/query/visibility-filter.js'
import { jsonArray } from '../../../graph/view/json.js'
import { UsersResponse } from '../../../graph/view/schema/user.js'
import { defineOperation } from '../../operation.js'

/** `GET following/suggested` */
export const suggestedFollowing = defineOperation({
  method: 'GET',
  path: 'following/suggested',
  tag: 'Follows',
  summary: 'Fetch follow suggestions for a user',
  description:
    'Users whom most of the user’s followed users follow; equal counts are ordered by popularity. Reads ' +
    'the user’s latest 100 follows and the latest 100 follows of each. Leaves out users whom the user or ' +
    'the viewer blocks or mutes. There is one page: `next.cursor` is always null.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    viewer_fid: viewerFidParameter,
    limit: limitParameter({ maximum: 100, default: 25 }),
  }),
  reply: UsersResponse,

  async handle({ db, hydrator }, { fid, viewer_fid, limit }, caller) {
    const viewer = await viewerOf({ db, hydrator }, caller, fid)
    const hidden = await Promise.all(
      [...new Set([fid, viewer_fid])].map((viewerFid) => loadHiddenFids(db, { ...viewer, viewerFid })),
    )
    const fids = await readSuggested(db, { fid, hidden: hidden.flat(), limit })
    const users = await hydrator.users(fids, viewer_fid)
    return `{"users":${jsonArray(fids.flatMap((each) => users.get(each) ?? []))},"next":{"cursor":null}}`
  },
})
