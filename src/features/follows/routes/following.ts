import { FollowersResponse } from '../../../graph/view/schema/follower.js'
import { defineOperation } from '../../operation.js'
import { algorithmicText, followerList, followerQuery } from './follower-list.js'

/** `GET following` */
export const followingOperation = defineOperation({
  method: 'GET',
  path: 'following',
  tag: 'Follow',
  summary: 'Whom a user follows',
  description: `${algorithmicText} \`app\` is what the follow was made with.`,
  query: followerQuery(25),
  reply: FollowersResponse,
  handle: (context, query, caller) => followerList(context, 'following', query, caller),
})
