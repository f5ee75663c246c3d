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
  tag: 'Follow',
  summary: 'Whom a user might want to follow',
  description: [
    'Friends of friends: those whom most of the user’s last 100 follows follow, of whose follows the last 100 each',
    'are looked at; the better known first among equals. There is one page: `next.cursor` is null. Whom the user',
    'blocks or mutes is left out, and so is whom the viewer does.',
  ].join(' '),
  query: Type.Object({
    fid: fidParameter({ description: 'For whom.' }),
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
