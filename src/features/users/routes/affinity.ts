import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { listJson } from '../../../api/list-json.js'
import { choiceParameter, fidParameter, listParameter, pagingParameters } from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { affinityWindow, friendshipWeights, readBestFriends } from '../../../graph/query/users-affinity.js'
import {
  type InteractionRow,
  interactionKinds,
  interactionWindow,
  readInteractions,
} from '../../../graph/query/users-interactions.js'
import { usernameOrPlaceholder } from '../../../graph/view/user-dehydrated.js'
import { farcasterSecondsFromUnixMs } from '../../../protocol/time.js'
import { notificationJson } from '../../notifications/routes/notifications.js'
import { defineOperation } from '../../operation.js'
import { BestFriendsResponse, UserInteractionsResponse } from '../schema/user.js'

const cursors = cursorKind('best friends', keyPart.number, keyPart.integer)
const { like, recast, reply } = friendshipWeights
const { days, repliedCasts, repliesPerCast } = affinityWindow

/** `GET user/best_friends` */
export const userBestFriends = defineOperation({
  method: 'GET',
  path: 'user/best_friends',
  isPublic: true,
  tag: 'Users',
  summary: 'Get best friends of user',
  description:
    'Users with the highest mutual affinity to a user, highest first. `mutual_affinity_score` is ' +
    `\`sqrt(given * received)\`; each side is \`${like} * likes + ${recast} * recasts + ${reply} * replies\` ` +
    `of the last ${days} days. Given counts the user’s latest ${affinityWindow.reactions} likes, ` +
    `${affinityWindow.reactions} recasts and ${affinityWindow.casts} casts. Received counts the user’s latest ${repliedCasts} casts, with up to ` +
    `${repliesPerCast} reactions and ${repliesPerCast} replies to each.`,
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    ...pagingParameters(100, 3),
  }),
  reply: BestFriendsResponse,

  async handle({ db, hydrator, clock }, { fid, limit, cursor }, caller) {
    const { banningAppId } = await viewerOf({ hydrator }, caller)
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

const { reactions, casts, maxShown } = interactionWindow

/** `GET user/interactions` */
export const userInteractions = defineOperation({
  method: 'GET',
  path: 'user/interactions',
  isPublic: true,
  tag: 'Users',
  summary: 'Fetch interactions between two users',
  description:
    `Newest first, at most ${maxShown}. Reads the latest ${reactions} likes, ${reactions} recasts and ` +
    `${casts} casts of each user. Follows have \`follows\`; likes and recasts have \`reactions\` and the ` +
    '`cast` they are for; mentions, replies and quotes have only `cast`. This is not an inbox: `seen` is ' +
    'always false.',
  query: Type.Object({
    fids: listParameter(fidParameter({ description: 'Fid of a user.' }), {
      minItems: 2,
      maxItems: 2,
      description: 'The two users.',
      examples: [[3, 191]],
    }),
    type: Type.Optional(
      listParameter(choiceParameter(interactionKinds, { description: 'Type of interaction.' }), {
        maxItems: interactionKinds.length,
        description: 'Types of interactions. Without it, all types.',
      }),
    ),
  }),
  reply: UserInteractionsResponse,

  async handle({ db, hydrator }, { fids: pair, type }) {
    const rows = await readInteractions(db, [pair[0]!, pair[1]!], type ?? interactionKinds)
    const isGroup = ({ kind }: InteractionRow) => kind === 'follows' || kind === 'likes' || kind === 'recasts'
    const hashes = new Set(rows.flatMap(({ hash }) => hash ?? []))
    const fids = new Set(rows.filter(isGroup).map(({ fid }) => fid))
    const { casts, users } = await hydrator.castsAndUsers([...hashes], [...fids])
    const interactions = rows.flatMap((row) => {
      const { kind: name, fid, ts, hash, app } = row
      const members = isGroup(row) ? [{ fid, app }] : null
      const cast = hash === null ? undefined : casts.get(hash)
      return notificationJson({ name, ts, isSeen: false, count: 1, members }, cast, users) ?? []
    })
    return listJson('interactions', interactions)
  },
})
