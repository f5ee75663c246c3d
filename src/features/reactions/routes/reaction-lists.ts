import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  castHashParameter,
  choiceParameter,
  cursorParameter,
  fidParameter,
  limitParameter,
  listParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import {
  type ReactionKind,
  type ReactionRow,
  readCastReactions,
  readUserReactions,
} from '../../../graph/query/reactions.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ReactionsCastResponse, ReactionsResponse } from '../../../graph/view/schema/reaction.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation } from '../../operation.js'

/** Values of `type` and `types`. */
const kindOptions = ['all', 'likes', 'recasts'] as const

/** The reaction kinds that a request selects. */
function toReactionKinds(selected: readonly (typeof kindOptions)[number][]): ReactionKind[] {
  return selected.flatMap((kind): ReactionKind[] => (kind === 'all' ? ['likes', 'recasts'] : [kind]))
}

/** Renders the first members of a reaction, without the closing brace. */
function reactionJsonPrefix({ type, ts, app }: ReactionRow): string {
  const isLike = type === 1
  return JSON.stringify({
    object: isLike ? 'likes' : 'recasts',
    reaction_type: isLike ? 'like' : 'recast',
    reaction_timestamp: dateTimeOf(unixSecondsFromFarcasterSeconds(ts)),
    ...(app ? { app: userDehydrated(app) } : {}),
  }).slice(0, -1)
}

const castCursors = cursorKind('reactions/cast', keyPart.integer, keyPart.integer, keyPart.integer)

/** `GET reactions/cast` */
export const reactionsCast = defineOperation({
  method: 'GET',
  path: 'reactions/cast',
  tag: 'Reactions',
  summary: 'Fetch reactions for cast',
  description: 'Newest first. An unknown cast has no reactions.',
  query: Type.Object({
    hash: castHashParameter({ description: 'Hash of the cast.' }),
    types: listParameter(choiceParameter(kindOptions, { description: 'Type.' }), {
      maxItems: kindOptions.length,
      description: 'Types of reactions.',
    }),
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
    viewer_fid: viewerFidParameter,
  }),
  reply: ReactionsCastResponse,

  async handle({ db, hydrator }, { hash, types, limit, cursor, viewer_fid: viewerFid }, caller) {
    const key = castCursors.decode(cursor)
    const rows = await readCastReactions(db, hash.replace(/^0x/i, '').toLowerCase(), {
      kinds: toReactionKinds(types),
      before: key && { ts: key[0], fid: key[1], type: key[2] },
      count: limit + 1,
      ...(await viewerOf({ db, hydrator }, caller, viewerFid)),
    })
    const { page, next } = castCursors.page(rows, limit, (last) => [last.ts, last.fid, last.type])
    const users = await hydrator.users(
      page.map(({ fid }) => fid),
      viewerFid,
    )
    const reactions = page.flatMap((row) => {
      const user = users.get(row.fid)
      return user ? [`${reactionJsonPrefix(row)},"user":${user}}`] : []
    })
    return `{"reactions":${jsonArray(reactions)},"next":${JSON.stringify(next)}}`
  },
})

const userCursors = cursorKind('reactions/user', keyPart.integer, keyPart.hex, keyPart.integer)

/** `GET reactions/user` */
export const reactionsUser = defineOperation({
  method: 'GET',
  path: 'reactions/user',
  tag: 'Reactions',
  summary: 'Fetch reactions of user',
  description: 'Newest first. Reactions to casts that this server does not have are left out.',
  query: Type.Object({
    fid: fidParameter({ minimum: 0, description: 'Fid of the user.' }),
    type: choiceParameter(kindOptions, { description: 'Types of reactions.' }),
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
    viewer_fid: viewerFidParameter,
  }),
  reply: ReactionsResponse,

  async handle({ db, hydrator }, { fid, type, limit, cursor, viewer_fid: viewerFid }, caller) {
    const key = userCursors.decode(cursor)
    const rows = await readUserReactions(db, fid, {
      kinds: toReactionKinds([type]),
      before: key && { ts: key[0], hash: key[1], type: key[2] },
      count: limit + 1,
      ...(await viewerOf({ db, hydrator }, caller, viewerFid)),
    })
    const { page, next } = userCursors.page(rows, limit, (last) => [last.ts, last.hash, last.type])
    const casts = await hydrator.casts(
      page.map(({ hash }) => hash),
      viewerFid,
    )
    const reactions = page.flatMap((row) => {
      const cast = casts.get(row.hash)
      if (!cast || !row.user) return []
      return [`${reactionJsonPrefix(row)},"user":${JSON.stringify(userDehydrated(row.user))},"cast":${cast}}`]
    })
    return `{"reactions":${jsonArray(reactions)},"next":${JSON.stringify(next)}}`
  },
})
