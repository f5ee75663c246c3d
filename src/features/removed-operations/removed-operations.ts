import { Type } from '@sinclair/typebox'
import type { Caller } from '../../api/caller.js'
import { cursorKind, keyPart } from '../../api/cursor.js'
import { listJson, userItems } from '../../api/list-json.js'
import {
  choiceParameter,
  flagParameter,
  pagingParameters,
  textParameter,
  viewerFidParameter,
} from '../../api/parameters.js'
import { hiddenFidsFor } from '../../api/viewer.js'
import type { Json } from '../../graph/view/json.js'
import { Fid, NextCursor } from '../../graph/view/schema/primitives.js'
import { POWER_BADGE_SCORE, UsersResponse } from '../../graph/view/schema/user.js'
import { workPrices } from '../../platform/limits/work-prices.js'
import { requireChannel } from '../channels/find-channel.js'
import { feedUserPopular, feedUserRepliesAndRecasts } from '../feeds/routes/user-feeds.js'
import { defineOperation, deprecate, type Operation, type OperationContext } from '../operation.js'
import { COUNTED_CASTS, MAX_COUNTED_REACTIONS, readChannelUsers } from './channel-users.js'
import { readTrustedUsers } from './trusted-users.js'

/** Operations that left the description of the hosted API, for clients that still call them (docs/compatibility.md §30). */

const paging = { viewer_fid: viewerFidParameter, ...pagingParameters(100, 25) }

/** The part of a description that says who is listed. */
const trustText = `Users whose score is at least ${POWER_BADGE_SCORE}, highest first.`
/** The score is a float4, which other numbers do not fit into. */
const listedScore = Type.Number({ minimum: POWER_BADGE_SCORE, maximum: 1 })
const scoreCursors = cursorKind('users by score', listedScore, keyPart.integer)

interface UserPageQuery {
  readonly viewer_fid?: number
  readonly limit: number
  readonly cursor?: string
}

async function trustedUsers(context: OperationContext, query: UserPageQuery, caller: Caller): Promise<Json> {
  const { viewer_fid: viewerFid, limit, cursor } = query
  const hidden = await hiddenFidsFor(context, caller, viewerFid)
  const rows = await readTrustedUsers(context.db, { hidden, limit: limit + 1 }, scoreCursors.decode(cursor))
  const { page, next } = scoreCursors.page(rows, limit, (last) => [last.score, last.fid])
  return listJson('users', await userItems(context.hydrator, page, viewerFid), next)
}

const userActive = defineOperation({
  method: 'GET',
  path: 'user/active',
  isPublic: true,
  tag: 'Users',
  summary: 'Fetch active users',
  description: `${trustText} Use \`score\` of users.`,
  deprecatedSince: '2024-11-01',
  query: Type.Object(paging),
  reply: UsersResponse,
  handle: trustedUsers,
})

const userPower = defineOperation({
  method: 'GET',
  path: 'user/power',
  isPublic: true,
  tag: 'Users',
  summary: 'Fetch power users',
  description: `${trustText} Use \`score\` of users.`,
  deprecatedSince: '2025-06-30',
  query: Type.Object(paging),
  reply: UsersResponse,
  handle: trustedUsers,
})

/** Fids of users with the power badge. */
export const PowerUserFids = Type.Object({ result: Type.Object({ fids: Type.Array(Fid) }) })

/** A list without pages ends here. */
const MAX_POWER_FIDS = 10_000

const userPowerLite = defineOperation({
  method: 'GET',
  path: 'user/power_lite',
  isPublic: true,
  tag: 'Users',
  summary: 'Fetch power user fids',
  description: `${trustText} At most ${MAX_POWER_FIDS} fids. Use \`score\` of users.`,
  deprecatedSince: '2025-06-30',
  query: Type.Object({}),
  reply: PowerUserFids,

  async handle(context, _query, caller) {
    const hidden = await hiddenFidsFor(context, caller)
    const rows = await readTrustedUsers(context.db, { hidden, limit: MAX_POWER_FIDS }, null)
    return { result: { fids: rows.map(({ fid }) => fid) } }
  },
})

const fidCursors = cursorKind('users of a channel', keyPart.integer)
const kindOfUser = (description: string) => flagParameter({ default: false, description })

const channelUsers = defineOperation({
  method: 'GET',
  path: 'channel/users',
  // Every page reads the likes and recasts of all counted casts.
  price: () => workPrices.search,
  isPublic: true,
  tag: 'Channels',
  summary: 'Fetch users who are active in a channel',
  description:
    `By ascending fid. The newest ${COUNTED_CASTS} casts of the channel count, and of each the newest ` +
    `${MAX_COUNTED_REACTIONS} likes and recasts of the selected kinds.`,
  deprecatedSince: '2024-11-06',
  query: Type.Object({
    id: textParameter({ maxLength: 256, description: 'Id of the channel.', examples: ['gardening'] }),
    has_root_cast_authors: Type.Boolean({ description: 'Authors of casts that start a thread.' }),
    has_reply_authors: kindOfUser('Authors of replies.'),
    has_cast_likers: kindOfUser('Users who like a cast.'),
    has_cast_recasters: kindOfUser('Users who recast a cast.'),
    ...paging,
  }),
  reply: UsersResponse,
  notFound: 'There is no such channel.',

  async handle(context, query, caller) {
    const { id: channelId, viewer_fid: viewerFid, limit, cursor } = query
    const [after] = fidCursors.decode(cursor) ?? [-1]
    const selection = {
      channelId,
      rootAuthors: query.has_root_cast_authors,
      replyAuthors: query.has_reply_authors,
      likers: query.has_cast_likers,
      recasters: query.has_cast_recasters,
      hidden: await hiddenFidsFor(context, caller, viewerFid),
    }
    const fids = await readChannelUsers(context.db, selection, { after, limit: limit + 1 })
    if (fids.length === 0) await requireChannel(context.db, channelId, 'id')
    const { page, next } = fidCursors.page(fids, limit, (last) => [last])
    const rows = page.map((fid) => ({ fid }))
    return listJson('users', await userItems(context.hydrator, rows, viewerFid), next)
  },
})

/** A page of composer actions, of which there are none. */
export const ComposerActions = Type.Object({
  actions: Type.Array(Type.Object({}), { examples: [[]] }),
  next: NextCursor,
})

const composerActions = defineOperation({
  method: 'GET',
  path: 'cast/composer_actions/list',
  isPublic: true,
  tag: 'Casts',
  summary: 'Fetch composer actions',
  description: 'Always empty: composer actions have left the protocol’s clients.',
  deprecatedSince: '2025-10-31',
  query: Type.Object({
    list: choiceParameter(['top', 'featured'], { description: 'List.' }),
    ...pagingParameters(25, 25),
  }),
  reply: ComposerActions,
  handle: async () => ({ actions: [], next: { cursor: null } }),
})

/** Operations of before July 2024, which had the fid in the path. */
const withFidInPath = deprecate('2024-07-31', [
  { ...feedUserPopular, path: 'feed/user/:fid/popular' },
  { ...feedUserRepliesAndRecasts, path: 'feed/user/:fid/replies_and_recasts' },
])

/** The operations that left, below `/v2`. */
export const removedOperations: readonly Operation[] = [
  userActive,
  userPower,
  userPowerLite,
  channelUsers,
  composerActions,
  ...withFidInPath,
]
