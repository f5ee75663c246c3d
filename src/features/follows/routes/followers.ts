import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  choiceParameter,
  cursorParameter,
  fidParameter,
  limitParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { hiddenFidsFor } from '../../../api/viewer.js'
import type { Hydrator } from '../../../graph/cache/hydrator.js'
import {
  type FollowRow,
  type FollowSide,
  type FollowsQuery,
  readFollows,
} from '../../../graph/query/follows.js'
import { readFollowsByPopularity } from '../../../graph/query/follows-by-popularity.js'
import { jsonArray } from '../../../graph/view/json.js'
import { FollowersResponse } from '../../../graph/view/schema/follower.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { defineOperation, type OperationContext } from '../../operation.js'

/** The query of `followers` and `following`, whose default limits differ. */
function followerQuery(defaultLimit: number) {
  return Type.Object({
    fid: fidParameter({ description: 'Fid of the user.' }),
    viewer_fid: viewerFidParameter,
    sort_type: choiceParameter(['desc_chron', 'algorithmic'], {
      default: 'desc_chron',
      description: 'Newest first, or by popularity.',
    }),
    limit: limitParameter({ maximum: 100, default: defaultLimit }),
    cursor: cursorParameter,
  })
}

/** The part of a description that explains `algorithmic`. */
const algorithmicText = [
  'Newest follow first. `sort_type=algorithmic` sorts each block of a thousand follows, newest block first, by',
  '`(1 + ln(1 + followers)) * (0.1 + score)`, highest first.',
].join(' ')

interface FollowerListQuery {
  readonly fid: number
  readonly viewer_fid?: number
  readonly sort_type: 'desc_chron' | 'algorithmic'
  readonly limit: number
  readonly cursor?: string
}

const { integer, number } = keyPart
const timeCursors = cursorKind('follows by time', integer, integer)
const byPopularity = cursorKind(
  'follows by popularity',
  // before, end (both -1 for none), last
  ...([integer, integer, integer, integer, number, integer] as const),
)

/** Renders a page of the followers or the followed users of a user. */
async function followerList(
  { db, hydrator }: Pick<OperationContext, 'db' | 'hydrator'>,
  side: FollowSide,
  { fid, viewer_fid, sort_type, limit, cursor }: FollowerListQuery,
  caller: Caller,
): Promise<string> {
  const hidden = await hiddenFidsFor({ db, hydrator }, caller, viewer_fid)
  const followsQuery = { fid, side, hidden, limit }
  const { follows, next } =
    sort_type === 'algorithmic'
      ? await pageByPopularity(db, followsQuery, cursor)
      : await pageByTime(db, followsQuery, cursor)
  const users = await followers(hydrator, follows, viewer_fid)
  return `{"users":${jsonArray(users)},"next":${JSON.stringify({ cursor: next })}}`
}

interface FollowPage {
  readonly follows: readonly FollowRow[]
  readonly next: string | null
}

async function pageByTime(
  db: OperationContext['db'],
  followsQuery: FollowsQuery,
  cursor: string | undefined,
): Promise<FollowPage> {
  const found = await readFollows(
    db,
    { ...followsQuery, limit: followsQuery.limit + 1 },
    timeCursors.decode(cursor),
  )
  const follows = found.slice(0, followsQuery.limit)
  const last = found.length > followsQuery.limit ? follows.at(-1) : undefined
  return { follows, next: last ? timeCursors.encode([last.ts, last.fid]) : null }
}

async function pageByPopularity(
  db: OperationContext['db'],
  followsQuery: FollowsQuery,
  cursor: string | undefined,
): Promise<FollowPage> {
  const key = byPopularity.decode(cursor)
  const popularityCursor = key && {
    before: [key[0], key[1]] as const,
    end: key[2] === -1 ? null : ([key[2], key[3]] as const),
    last: [key[4], key[5]] as const,
  }
  const { follows, next } = await readFollowsByPopularity(db, followsQuery, popularityCursor)
  return {
    follows,
    next: next && byPopularity.encode([...next.before, ...(next.end ?? ([-1, -1] as const)), ...next.last]),
  }
}

/** Renders followers in the order of the rows, each with the app of its follow. */
export async function followers(
  hydrator: Hydrator,
  rows: readonly Pick<FollowRow, 'fid' | 'app'>[],
  viewerFid?: number,
): Promise<string[]> {
  const users = await hydrator.users(
    rows.map(({ fid }) => fid),
    viewerFid,
  )
  return rows.flatMap(({ fid, app }) => {
    const user = users.get(fid)
    if (user === undefined) return []
    return [
      `{"object":"follower","user":${user}${app ? `,"app":${JSON.stringify(userDehydrated(app))}` : ''}}`,
    ]
  })
}

/** `GET followers` */
export const followersOperation = defineOperation({
  method: 'GET',
  path: 'followers',
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
  tag: 'Follows',
  summary: 'Fetch users that a user is following',
  description: `${algorithmicText} \`app\` is the app that the follow was made with.`,
  query: followerQuery(25),
  reply: FollowersResponse,
  handle: (context, query, caller) => followerList(context, 'following', query, caller),
})
