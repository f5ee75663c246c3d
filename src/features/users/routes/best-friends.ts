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
  tag: 'Users',
  summary: 'Get best friends of user',
  description:
    'Users with the highest mutual affinity to a user, highest first. `mutual_affinity_score` is ' +
    `\`sqrt(given * received)\`; each side is \`${like} * likes + ${recast} * recasts + ${reply} * replies\` ` +
    `of the last ${days} days. Given counts the user’s latest ${reactions} likes, ${reactions} recasts ` +
    `and ${casts} casts. Received counts the user’s latest ${repliedCasts} casts, with up to ` +
    `${repliesPerCast} reactions and ${repliesPerCast} replies to each.`,
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
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
