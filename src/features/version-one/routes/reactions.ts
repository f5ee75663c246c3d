import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { viewerOf } from '../../../api/viewer.js'
import {
  type ReactionKind,
  type ReactionRow,
  reactionTypes,
  readCastReactions,
  readUserReactions,
} from '../../../graph/query/reactions.js'
import { dateTimeOf } from '../../../graph/view/formats.js'
import { NextCursor } from '../../../graph/view/schema/primitives.js'
import type { User } from '../../../graph/view/schema/user.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import type { Operation, OperationContext } from '../../operation.js'
import { loadCasts, loadUsers } from '../loaders.js'
import { readReactionHashes } from '../queries.js'
import { LikeWithCast, pageOf, Recaster, VersionOneReaction, VersionOneUser } from '../schema.js'
import { commonUserMembers, embedsOf, recasterOf, userOf } from '../views.js'
import { bareHex, fid, hash, paging, required, versionOne } from './version-one-operation.js'

interface CastReactionQuery {
  readonly castHash: string
  readonly viewerFid?: number
  readonly limit: number
  readonly cursor?: string
}

const castCursors = cursorKind('v1 reactions', keyPart.integer, keyPart.integer, keyPart.int2)

/** A page of reactions to a cast, each with its user of version 2. */
async function reactionPage(
  context: OperationContext,
  { castHash, viewerFid, limit, cursor }: CastReactionQuery,
  caller: Caller,
  kinds: readonly ReactionKind[],
) {
  const viewer = await viewerOf(context, caller, viewerFid)
  const key = castCursors.decode(cursor)
  const rows = await readCastReactions(context.db, bareHex(castHash), {
    kinds,
    before: key && { ts: key[0], fid: key[1], type: key[2] },
    count: limit + 1,
    ...viewer,
  })
  const { page, next } = castCursors.page(rows, limit, (last) => [last.ts, last.fid, last.type])
  const users = await loadUsers(
    context,
    page.map((row) => row.fid),
    viewerFid,
  )
  const reactions = page.flatMap((row) => {
    const user = users.get(row.fid)
    return user ? [{ row, user }] : []
  })
  return { reactions, next }
}

/** The lists of a cast's reactions left before the other operations, in this month. */
const LISTS_LEFT = '2024-09-30'

/** A list of reactions under its key in `result`. */
function reactionList(path: string, key: string, kinds: readonly ReactionKind[]): Operation {
  return versionOne({
    tag: 'Reactions',
    path,
    deprecatedSince: LISTS_LEFT,
    summary: `Get ${kinds.join(' and ')} of a cast`,
    query: Type.Object({ castHash: hash, ...paging }),
    result: pageOf(key, VersionOneReaction) as TSchema,
    handle: async (context, query, caller) => {
      const { reactions, next } = await reactionPage(context, query, caller, kinds)
      return { [key]: await presentReactions(context, query, reactions), next }
    },
  })
}

async function presentReactions(
  context: OperationContext,
  { castHash, viewerFid }: CastReactionQuery,
  reactions: readonly { readonly row: ReactionRow; readonly user: User }[],
) {
  const casts = await loadCasts(context, [bareHex(castHash)], viewerFid)
  const castFid = casts.get(bareHex(castHash))?.author.fid ?? 0
  const hashes = await readReactionHashes(
    context.db,
    reactions.map(({ row }) => ({ fid: row.fid, type: row.type, castFid, castHash: row.hash })),
  )
  return reactions.flatMap(({ row, user }, index) => {
    const messageHash = hashes[index]
    if (!messageHash) return []
    return {
      type: row.type === reactionTypes.likes ? 'like' : 'recast',
      hash: `0x${messageHash}`,
      reactor: commonUserMembers(user),
      timestamp: timeOf(row),
      castHash: `0x${row.hash}`,
    }
  })
}

const castRecasters = versionOne({
  tag: 'Reactions',
  path: 'cast-recasters',
  deprecatedSince: LISTS_LEFT,
  summary: 'Get users who recast a cast',
  query: Type.Object({ castHash: hash, ...paging }),
  result: pageOf('users', Recaster as TObject),
  handle: async (context, query, caller) => {
    const { reactions, next } = await reactionPage(context, query, caller, ['recasts'])
    return { users: reactions.map(({ row, user }) => recasterOf(user, timeOf(row))), next }
  },
})

const userCursors = cursorKind('v1 likes of a user', keyPart.integer, keyPart.hex, keyPart.int2)

const userCastLikes = versionOne({
  tag: 'Reactions',
  path: 'user-cast-likes',
  summary: 'Get casts that a user likes',
  query: Type.Object({ fid, ...paging }),
  result: Type.Object({
    reactor: VersionOneUser,
    likes: Type.Array(LikeWithCast),
    next: NextCursor,
  }),
  handle: async (context, { fid, viewerFid, limit, cursor }, caller) => {
    const viewer = await viewerOf(context, caller, viewerFid)
    const key = userCursors.decode(cursor)
    const rows = await readUserReactions(context.db, fid, {
      kinds: ['likes'],
      before: key && { ts: key[0], hash: key[1], type: key[2] },
      count: limit + 1,
      ...viewer,
    })
    const { page, next } = userCursors.page(rows, limit, (last) => [last.ts, last.hash, last.type])
    const users = await loadUsers(context, [fid], viewerFid)
    const reactor = userOf(required(users.get(fid), 'such user', 'fid'))
    return { reactor, likes: await presentLikes(context, page, viewerFid), next }
  },
})

async function presentLikes(
  context: OperationContext,
  rows: readonly ReactionRow[],
  viewerFid: number | undefined,
) {
  const casts = await loadCasts(
    context,
    rows.map((row) => row.hash),
    viewerFid,
  )
  const liked = rows.flatMap((row) => {
    const cast = casts.get(row.hash)
    return cast ? [{ row, cast }] : []
  })
  const hashes = await readReactionHashes(
    context.db,
    liked.map(({ row, cast }) => ({
      fid: row.fid,
      type: row.type,
      castFid: cast.author.fid,
      castHash: row.hash,
    })),
  )
  return liked.flatMap(({ row, cast }, index) => {
    const messageHash = hashes[index]
    if (!messageHash) return []
    return {
      reaction: {
        reactor_fid: row.fid,
        reaction_type: 'like' as const,
        reaction_hash: `0x${messageHash}`,
        reaction_target_hash: cast.hash,
        reaction_timestamp: timeOf(row),
      },
      cast: {
        cast_fid: cast.author.fid,
        cast_hash: cast.hash,
        cast_text: cast.text,
        cast_embeds: embedsOf(cast),
        cast_timestamp: cast.timestamp,
      },
      cast_author: userOf(cast.author),
    }
  })
}

function timeOf({ ts }: ReactionRow): string {
  return dateTimeOf(unixSecondsFromFarcasterSeconds(ts))
}

/** Operations of version 1 on reactions. */
export const versionOneReactions: readonly Operation[] = [
  reactionList('cast-likes', 'likes', ['likes']),
  reactionList('cast-reactions', 'casts', ['likes', 'recasts']),
  castRecasters,
  userCastLikes,
]
