import { FollowersResponse } from '../../../graph/view/schema/follower.js'
import { defineOperation } from '../../operation.js'
import { algorithmicText, followerList, followerQuery } from './follower-list.js'

/** `GET followers` */
export const followersOperation = defineOperation({
  method: 'GET',
  path: 'followers',
  tag: 'Follow',
  summary: 'Who follows a user',
  description: `${algorithmicText} \`app\` is what the follow was made with.`,
  query: followerQuery(20),
  reply: FollowersResponse,
  handle: (context, query, caller) => followerList(context, 'followers', query, caller),
})
