import { type Static, Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { listJson, userItems } from '../../../api/list-json.js'
import {
  choiceParameter,
  fidParameter,
  limitParameter,
  pagingParameters,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { hiddenFidsFor, viewerOf } from '../../../api/viewer.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import {
  type FollowRow,
  type FollowSide,
  type FollowsQuery,
  readFollows,
  readFollowsByPopularity,
} from '../../../graph/query/follows.js'
import {
  type ReciprocalRow,
  readReciprocal,
  readRelevantFollowers,
  readSuggested,
} from '../../../graph/query/follows-between.js'
import { loadHiddenFids } from '../../../graph/query/visibility-filter.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { type Json, json, jsonArray, noJson } from '../../../graph/view/json.js'
import { RelevantFollowersResponse } from '../../../graph/view/schema/follower.js'
import { UsersResponse } from '../../../graph/view/schema/user.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { FollowersResponse, ReciprocalFollowersResponse } from '../schema/follow.js'

/** The query of `followers` and `following`, whose default limits differ. */
function followerQuery(defaultLimit: number) {
  return Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    viewer_fid: viewerFidParameter,
    sort_type: choiceParameter(['desc_chron', 'algorithmic', 'affinity_score'], {
      default: 'desc_chron',
      description: 'Newest first, or by popularity. `affinity_score` is the former name of `algorithmic`.',
    }),
    ...pagingParameters(100, defaultLimit),
  })
}

/** The part of a description that explains `algorithmic`. */
const algorithmicText = [
  'Newest follow first. `sort_type=algorithmic` sorts each block of a thousand follows, newest block first, by',
  '`(1 + ln(1 + followers)) * (0.1 + score)`, highest first. Both count as of each page: a user who rises over the cursor',
  'meanwhile is missing from the next pages.',
].join(' ')

const { integer, number } = keyPart
/** The followers of a user and those whom it follows are two lists: neither takes cursors of the other. */
const cursorsBySide = {
  followers: followCursors('followers'),
  following: followCursors('following'),
} as const satisfies Record<FollowSide, object>

function followCursors(side: FollowSide) {
  return {
    byTime: cursorKind(`${side} by time`, integer, integer),
    byPopularity: cursorKind(
      `${side} by popularity`,
      // before, end (both -1 for none), last
      ...([integer, integer, integer, integer, number, integer] as const),
    ),
  }
}

/** Renders a page of the followers or the followed users of a user. */
async function followerList(
  { db, hydrator }: Pick<OperationContext, 'db' | 'hydrator'>,
  side: FollowSide,
  { fid, viewer_fid, sort_type, limit, cursor }: Static<ReturnType<typeof followerQuery>>,
  caller: Caller,
): Promise<Json> {
  const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
  const followsQuery = { fid, side, hidden, limit }
  const { page, next } =
    sort_type === 'desc_chron'
      ? await pageByTime(db, followsQuery, cursor)
      : await pageByPopularity(db, followsQuery, cursor)
  return listJson('users', await followers(hydrator, page, viewer_fid), next)
}

async function pageByTime(
  db: OperationContext['db'],
  followsQuery: FollowsQuery,
  cursor: string | undefined,
) {
  const { side, limit } = followsQuery
  const { byTime } = cursorsBySide[side]
  const found = await readFollows(db, { ...followsQuery, limit: limit + 1 }, byTime.decode(cursor))
  return byTime.page(found, limit, ({ ts, fid }) => [ts, fid])
}

async function pageByPopularity(
  db: OperationContext['db'],
  followsQuery: FollowsQuery,
  cursor: string | undefined,
) {
  const { byPopularity } = cursorsBySide[followsQuery.side]
  const key = byPopularity.decode(cursor)
  const popularityCursor = key && {
    before: [key[0], key[1]] as const,
    end: key[2] === -1 ? null : ([key[2], key[3]] as const),
    last: [key[4], key[5]] as const,
  }
  const { follows, next } = await readFollowsByPopularity(db, followsQuery, popularityCursor)
  const { before, end, last } = next ?? {}
  const encoded = before && last && byPopularity.encode([...before, ...(end ?? ([-1, -1] as const)), ...last])
  return { page: follows, next: { cursor: encoded ?? null } }
}

/** Renders followers in the order of the rows, each with the app of its follow. */
async function followers(
  hydrator: Hydrator,
  rows: readonly Pick<FollowRow, 'fid' | 'app'>[],
  viewerFid?: number,
): Promise<Json[]> {
  return await userItems(hydrator, rows, viewerFid, (user, { app }) => {
    const appMember = app ? json`,"app":${userDehydrated(app)}` : noJson
    return json`{"object":"follower","user":${user}${appMember}}`
  })
}

/** `GET followers` */
export const followersOperation = defineOperation({
  method: 'GET',
  path: 'followers',
  isPublic: true,
  tag: 'Follows',
  summary: 'Fetch followers of a user',
  description: `${algorithmicText} \`app\` is the app that the follow was made with.`,
  query: followerQuery(20),
  reply: FollowersResponse,
  handle: (context, query, caller) => followerList(context, 'followers', query, caller),
})

/** `GET following` */
export const followingOperation = defineOperation({
  method: 'GET',
  path: 'following',
  isPublic: true,
  tag: 'Follows',
  summary: 'Fetch users that a user is following',
  description: `${algorithmicText} \`app\` is the app that the follow was made with.`,
  query: followerQuery(25),
  reply: FollowersResponse,
  handle: (context, query, caller) => followerList(context, 'following', query, caller),
})

const reciprocalOrders = {
  desc_chron: {
    order: 'time',
    cursors: cursorKind('reciprocal by time', keyPart.integer, keyPart.integer),
    keyOf: ({ ts }: ReciprocalRow) => ts,
  },
  algorithmic: {
    order: 'popularity',
    cursors: cursorKind('reciprocal by popularity', keyPart.number, keyPart.integer),
    keyOf: ({ popularity }: ReciprocalRow) => popularity,
  },
} as const

/** `GET followers/reciprocal` */
export const reciprocalFollowers = defineOperation({
  method: 'GET',
  path: 'followers/reciprocal',
  isPublic: true,
  tag: 'Follows',
  summary: 'Fetch reciprocal followers of a user',
  description:
    'Users who follow the user and are followed back. `timestamp` is the later of the two follows. ' +
    '`sort_type=algorithmic` orders by `(1 + ln(1 + followers)) * (0.1 + score)`, highest first. Both count as of each page: a ' +
    'user who rises over the cursor meanwhile is missing from the next pages.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    viewer_fid: viewerFidParameter,
    sort_type: choiceParameter(['desc_chron', 'algorithmic'], {
      default: 'algorithmic',
      description: 'Newest first, or by popularity.',
    }),
    ...pagingParameters(100, 25),
  }),
  reply: ReciprocalFollowersResponse,

  async handle({ db, hydrator }, { fid, viewer_fid, sort_type, limit, cursor }, caller) {
    const { order, cursors, keyOf } = reciprocalOrders[sort_type]
    const after = cursors.decode(cursor)
    const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
    const found = await readReciprocal(db, { fid, hidden, limit: limit + 1, order }, after)
    const { page, next } = cursors.page(found, limit, (last) => [keyOf(last), last.fid])
    const followers = await userItems(hydrator, page, viewer_fid, (user, { ts }) => {
      const timestamp = dateTimeOf(unixSecondsFromFarcasterSeconds(ts))
      return json`{"object":"reciprocal_follower","user":${user},"timestamp":${timestamp}}`
    })
    return listJson('users', followers, next)
  },
})

/** Users shown in full, and users shown at all. */
const TOP_COUNT = 10
const MAX_COUNT = 200

/** `GET followers/relevant` */
export const relevantFollowers = defineOperation({
  method: 'GET',
  path: 'followers/relevant',
  isPublic: true,
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
    const all = rows.map(({ user }) => ({ object: 'follower_dehydrated', user: userDehydrated(user) }))
    const list = jsonArray(top)
    return json`{"top_relevant_followers_hydrated":${list},"all_relevant_followers_dehydrated":${all}}`
  },
})

/** `GET following/suggested` */
export const suggestedFollowing = defineOperation({
  method: 'GET',
  path: 'following/suggested',
  isPublic: true,
  tag: 'Follows',
  summary: 'Fetch follow suggestions for a user',
  description:
    'Users whom most of the user’s followed users follow; equal counts are ordered by popularity. Reads ' +
    'the user’s latest 100 follows and the latest 100 follows of each. Leaves out users whom the user or ' +
    'the viewer blocks or mutes. There is one page: `next.cursor` is always null.',
  query: Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    viewer_fid: viewerFidParameter,
    limit: limitParameter({ maximum: 100, default: 25 }),
  }),
  reply: UsersResponse,

  async handle({ db, hydrator }, { fid, viewer_fid, limit }, caller) {
    const viewer = await viewerOf({ hydrator }, caller, fid)
    const hidden = await Promise.all(
      [...new Set([fid, viewer_fid])].map((viewerFid) => loadHiddenFids(db, { ...viewer, viewerFid })),
    )
    const fids = await readSuggested(db, { fid, hidden: hidden.flat(), limit })
    const users = await hydrator.users(fids, viewer_fid)
    const suggested = fids.flatMap((each) => users.get(each) ?? [])
    return listJson('users', suggested, { cursor: null })
  },
})
