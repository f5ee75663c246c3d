import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { cursorParameter, fidParameter, limitParameter } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { affinityWeights, affinityWindow, readBestFriends } from '../../../graph/query/users-affinity.js'
import { BestFriendsResponse } from '../../../graph/view/schema/best-friends.js'
import { usernameOrPlaceholder } from '../../../graph/view/user-dehydrated.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'

const cursors = cursorKind('best friends', keyPart.number, keyPart.integer)
const { like, recast, reply } = affinityWeights
const { days, reactions, casts, repliedCasts, repliesPerCast } = affinityWindow

/** `GET user/best_friends` */
export const userBestFriends = defineOperation({
  method: 'GET',
  path: 'user/best_friends',
  tag: 'User',
  summary: 'With whom a user has most to do',
  description: [
    `\`mutual_affinity_score\` is \`sqrt(given * received)\`, each \`${like} * likes + ${recast} * recasts +`,
    `${reply} * replies\` of the last ${days} days: given in the user’s last ${reactions} likes, ${reactions} recasts`,
    `and ${casts} casts, received on its last ${repliedCasts} casts, ${repliesPerCast} reactions and`,
    `${repliesPerCast} replies on each.`,
  ].join(' '),
  query: Type.Object({
    fid: fidParameter({ description: 'Whose friends.' }),
    limit: limitParameter({ maximum: 100, default: 3 }),
    cursor: cursorParameter,
  }),
  reply: BestFriendsResponse,

  async handle({ db, hydrator, clock }, { fid, limit, cursor }, caller) {
    const { banningAppId } = await viewerOf({ db, hydrator }, caller)
    const now = farcasterSecondsFromUnixMs(clock())
    const found = await readBestFriends(
      db,
      { fid, banningAppId, limit: limit + 1, now },
      cursors.decode(cursor),
    )
    const { page, next } = cursors.page(found, limit, (last) => [last.affinity, last.fid])
    return {
      users: page.map((friend) => ({
        fid: friend.fid,
        username: usernameOrPlaceholder(friend),
        mutual_affinity_score: friend.affinity,
      })),
      next,
    }
  },
})
