import { Type } from '@sinclair/typebox'
import { fidParameter } from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import { readRelevantFollowers } from '../../../graph/query/follows-between.js'
import { jsonArray } from '../../../graph/view/json.js'
import { RelevantFollowersResponse } from '../../../graph/view/schema/follower.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { defineOperation } from '../../operation.js'
import { followers } from './followers.js'

/** Users shown in full, and users shown at all. */
const TOP_COUNT = 10
const MAX_COUNT = 200

/** `GET followers/relevant` */
export const relevantFollowers = defineOperation({
  method: 'GET',
  path: 'followers/relevant',
  tag: 'Follows',
  summary: 'Fetch relevant followers of a user',
  description:
    `Followers of the user whom the viewer follows, best known first: the first ${TOP_COUNT} as full ` +
    `users, and up to ${MAX_COUNT} as dehydrated ones.`,
  query: Type.Object({
    target_fid: fidParameter({ description: 'User whose followers are listed.' }),
    viewer_fid: fidParameter({ description: 'Fid of the viewer.', examples: [191] }),
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
