import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { readRelevantFollowers } from '../../../graph/query/follows-between.js'
import { jsonArray } from '../../../graph/view/json.js'
import { RelevantFollowersResponse } from '../../../graph/view/schema/follower.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { defineOperation } from '../../operation.js'
import { followers } from './followers.js'

/** Shown whole, and named at all. */
const TOP_COUNT = 10
const MAX_COUNT = 200

/** `GET followers/relevant` */
export const relevantFollowers = defineOperation({
  method: 'GET',
  path: 'followers/relevant',
  tag: 'Follow',
  summary: 'Who follows a user among those whom the viewer follows',
  description: `The best known first: the first ${TOP_COUNT} whole, and all of them, up to ${MAX_COUNT}, in short.`,
  query: Type.Object({
    target_fid: fidParameter({ description: 'Whose followers.' }),
    viewer_fid: fidParameter({ description: 'For whom they are relevant.' }),
  }),
  reply: RelevantFollowersResponse,

  async handle({ db, hydrator }, { target_fid, viewer_fid }, caller) {
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const rows = await readRelevantFollowers(db, {
      targetFid: target_fid,
      viewerFid: viewer_fid,
      hidden,
      limit: MAX_COUNT,
    })
    const top = await followers(hydrator, rows.slice(0, TOP_COUNT), viewer_fid)
    const all = rows.map(({ user }) =>
      JSON.stringify({ object: 'follower_dehydrated', user: userDehydrated(user) }),
    )
    return [
      `{"top_relevant_followers_hydrated":${jsonArray(top)}`,
      `"all_relevant_followers_dehydrated":${jsonArray(all)}}`,
    ].join(',')
  },
})
