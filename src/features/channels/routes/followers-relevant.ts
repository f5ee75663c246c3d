import { Type } from '@sinclair/typebox'
import { fidParameter, textParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { loadHiddenFids } from '../../../graph/query/visibility-filter.js'
import { jsonArray } from '../../../graph/view/json.js'
import { RelevantFollowersResponse } from '../../../graph/view/schema/follower.js'
import { defineOperation } from '../../operation.js'
import { relevantChannelFollowers } from '../queries.js'

/** How many are shown whole. */
const maxTop = 3

/** `GET channel/followers/relevant` */
export const channelFollowersRelevant = defineOperation({
  method: 'GET',
  path: 'channel/followers/relevant',
  tag: 'Channel',
  summary: 'Followers of a channel whom the viewer follows',
  description: 'The best known first: three whole, and up to 200 in short.',
  query: Type.Object({
    id: textParameter({ maxLength: 256, description: 'The channel.' }),
    viewer_fid: fidParameter({ description: 'Whose follows count.' }),
  }),
  reply: RelevantFollowersResponse,

  async handle({ db, hydrator }, { id, viewer_fid }, caller) {
    const hidden = await loadHiddenFids(db, await viewerOf({ db, hydrator }, caller, viewer_fid))
    const fids = await relevantChannelFollowers(db, id, viewer_fid, hidden)
    const users = await hydrator.users(fids.slice(0, maxTop), viewer_fid)
    const short = await hydrator.dehydratedUsers(fids)
    const top = fids.slice(0, maxTop).flatMap((fid) => {
      const user = users.get(fid)
      return user === undefined ? [] : [`{"object":"follower","user":${user}}`]
    })
    const all = fids.flatMap((fid) => {
      const user = short.get(fid)
      return user ? [{ object: 'follower_dehydrated', user }] : []
    })
    return (
      `{"top_relevant_followers_hydrated":${jsonArray(top)},` +
      `"all_relevant_followers_dehydrated":${JSON.stringify(all)}}`
    )
  },
})
