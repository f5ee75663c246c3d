import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  castHashParameter,
  choiceParameter,
  cursorParameter,
  limitParameter,
  listParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { readCastReactions } from '../../../graph/query/reactions.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ReactionsCastResponse } from '../../../graph/view/schema/reaction.js'
import { defineOperation } from '../../operation.js'
import { kindOptions, reactionJsonPrefix, toReactionKinds } from './reaction-options.js'

const cursors = cursorKind('reactions/cast', keyPart.integer, keyPart.integer, keyPart.integer)

/** `GET reactions/cast` */
export const reactionsCast = defineOperation({
  method: 'GET',
  path: 'reactions/cast',
  tag: 'Reaction',
  summary: 'Who likes and recasts a cast',
  description: 'Newest first. A cast that is not here has no reactions.',
  query: Type.Object({
    hash: castHashParameter({ description: 'The cast.' }),
    types: listParameter(choiceParameter(kindOptions, { description: 'A type.' }), {
      maxItems: kindOptions.length,
      description: 'Which reactions.',
    }),
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
    viewer_fid: viewerFidParameter,
  }),
  reply: ReactionsCastResponse,

  async handle({ db, hydrator }, { hash, types, limit, cursor, viewer_fid: viewerFid }, caller) {
    const key = cursors.decode(cursor)
    const rows = await readCastReactions(db, hash.replace(/^0x/i, '').toLowerCase(), {
      kinds: toReactionKinds(types),
      before: key && { ts: key[0], fid: key[1], type: key[2] },
      count: limit + 1,
      ...(await viewerOf({ db, hydrator }, caller, viewerFid)),
    })
    const page = rows.slice(0, limit)
    const users = await hydrator.users(
      page.map(({ fid }) => fid),
      viewerFid,
    )
    const reactions = page.flatMap((row) => {
      const user = users.get(row.fid)
      return user ? [`${reactionJsonPrefix(row)},"user":${user}}`] : []
    })
    const last = rows.length > limit ? page.at(-1) : undefined
    const next = { cursor: last ? cursors.encode([last.ts, last.fid, last.type]) : null }
    return `{"reactions":${jsonArray(reactions)},"next":${JSON.stringify(next)}}`
  },
})
