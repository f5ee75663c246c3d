import { Type } from '@sinclair/typebox'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import {
  choiceParameter,
  cursorParameter,
  fidParameter,
  limitParameter,
  viewerFidParameter,
} from '../../../api/parameters.js'
import { viewerOf } from '../../../api/viewer.js'
import { readUserReactions } from '../../../graph/query/reactions.js'
import { jsonArray } from '../../../graph/view/json.js'
import { ReactionsResponse } from '../../../graph/view/schema/reaction.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { defineOperation } from '../../operation.js'
import { kindOptions, reactionJsonPrefix, toReactionKinds } from './reaction-options.js'

const cursors = cursorKind('reactions/user', keyPart.integer, keyPart.hex, keyPart.integer)

/** `GET reactions/user` */
export const reactionsUser = defineOperation({
  method: 'GET',
  path: 'reactions/user',
  tag: 'Reaction',
  summary: 'What a user likes and recasts',
  description: 'Newest first. Reactions to casts that are not here are left out.',
  query: Type.Object({
    fid: fidParameter({ minimum: 0, description: 'Whose reactions.' }),
    type: choiceParameter(kindOptions, { description: 'Which reactions.' }),
    limit: limitParameter({ maximum: 100, default: 25 }),
    cursor: cursorParameter,
    viewer_fid: viewerFidParameter,
  }),
  reply: ReactionsResponse,

  async handle({ db, hydrator }, { fid, type, limit, cursor, viewer_fid: viewerFid }, caller) {
    const key = cursors.decode(cursor)
    const rows = await readUserReactions(db, fid, {
      kinds: toReactionKinds([type]),
      before: key && { ts: key[0], hash: key[1], type: key[2] },
      count: limit + 1,
      ...(await viewerOf({ db, hydrator }, caller, viewerFid)),
    })
    const page = rows.slice(0, limit)
    const casts = await hydrator.casts(
      page.map(({ hash }) => hash),
      viewerFid,
    )
    const reactions = page.flatMap((row) => {
      const cast = casts.get(row.hash)
      if (!cast || !row.user) return []
      return [`${reactionJsonPrefix(row)},"user":${JSON.stringify(userDehydrated(row.user))},"cast":${cast}}`]
    })
    const last = rows.length > limit ? page.at(-1) : undefined
    const next = { cursor: last ? cursors.encode([last.ts, last.hash, last.type]) : null }
    return `{"reactions":${jsonArray(reactions)},"next":${JSON.stringify(next)}}`
  },
})
