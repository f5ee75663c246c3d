import { Type } from '@sinclair/typebox'
import type { Caller } from '../../../api/caller.js'
import { cursorKind, keyPart } from '../../../api/cursor.js'
import { listJson, userItems } from '../../../api/list-json.js'
import {
  castHashParameter,
  choiceParameter,
  fidParameter,
  listParameter,
  pagingParameters,
  textParameter,
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
import { Json, json } from '../../../graph/view/json.js'
import { OperationResponse } from '../../../graph/view/schema/operation-response.js'
import { userDehydrated } from '../../../graph/view/user-dehydrated.js'
import { unixSecondsFromFarcasterSeconds } from '../../../protocol/time.js'
import { defineOperation, type OperationContext } from '../../operation.js'
import { prepareChanges, publishChange } from '../../publishing/changes.js'
import { idemConflict, idemMember } from '../../publishing/idem.js'
import { publishOnce } from '../../publishing/idempotency.js'
import { draftReaction, draftReactionRemoval } from '../../publishing/reactions.js'
import { actAs, mayNotAct, signerUuidMember } from '../../publishing/routes/acting.js'
import { ReactionsCastResponse, ReactionsResponse } from '../schema/reaction.js'

/** The body of both operations, as published clients send it. */
export const ReactionReqBody = Type.Object({
  signer_uuid: signerUuidMember,
  reaction_type: choiceParameter(['like', 'recast'], { description: 'Type of the reaction.' }),
  target: textParameter({
    description: 'Target of the reaction: hash of a cast, or a URL.',
    examples: ['0x71d5225f77e0164388b1d4c120825f3a2c1f131c'],
  }),
  target_author_fid: Type.Optional(
    fidParameter({
      minimum: 0,
      description:
        'Fid of the author of the cast; 0 is none. Required to react to a cast that this server does not have. No effect for a URL.',
      examples: [3],
    }),
  ),
  idem: idemMember,
})

const actions = {
  add: { operation: 'POST reaction', permission: 'PUBLISH_REACTION', message: 'the reaction is published' },
  remove: {
    operation: 'DELETE reaction',
    permission: 'DELETE_REACTION',
    message: 'the reaction is deleted',
  },
} as const

/** Publishes a reaction or its removal. A repeated request succeeds. */
async function changeReaction(
  context: OperationContext,
  action: 'add' | 'remove',
  { signer_uuid: signerUuid, idem, ...body }: (typeof ReactionReqBody)['static'],
  caller: Caller,
) {
  const { operation, permission, message } = actions[action]
  const reply = { success: true, message }
  return await actAs(context, { signerUuid, caller, permission }, async (author) => {
    const content = {
      type: body.reaction_type,
      target: body.target,
      targetAuthorFid: body.target_author_fid,
    }
    const draft = () =>
      action === 'add'
        ? draftReaction(context.writerDb, content)
        : draftReactionRemoval(context.writerDb, author.fid, content)
    if (idem === undefined) {
      const change = await draft()
      if (change) await publishChange(context, author, change)
      return reply
    }
    const request = { operation, signer_uuid: signerUuid, ...body }
    const idempotent = { appId: caller.appId, idem, content: request }
    const prepare = async () => {
      const change = await draft()
      const [prepared] = change ? await prepareChanges(context, author, [change]) : []
      return { message: prepared?.message ?? null, reply: JSON.stringify(reply) }
    }
    return Json.rendered(await publishOnce(context, idempotent, prepare))
  })
}

/** `POST reaction` */
export const postReaction = defineOperation({
  method: 'POST',
  path: 'reaction',
  tag: 'Reactions',
  summary: 'Post a reaction',
  description: 'Likes or recasts a cast or a URL. Repeating a reaction succeeds without effect.',
  example: { reply: { success: true, message: 'the reaction is published' } },
  body: ReactionReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer or cast.',
  conflict: idemConflict,

  handle: (context, body, caller) => changeReaction(context, 'add', body, caller),
})

/** `DELETE reaction` */
export const deleteReaction = defineOperation({
  method: 'DELETE',
  path: 'reaction',
  tag: 'Reactions',
  summary: 'Delete a reaction',
  description:
    'Removes a like or a recast, also after its cast is deleted. Removing a reaction that does not exist succeeds.',
  example: { reply: { success: true, message: 'the reaction is deleted' } },
  body: ReactionReqBody,
  reply: OperationResponse,
  forbidden: mayNotAct,
  notFound: 'There is no such signer.',
  conflict: idemConflict,

  handle: (context, body, caller) => changeReaction(context, 'remove', body, caller),
})

/** Values of `type` and `types`. */
const kindOptions = ['all', 'likes', 'recasts'] as const

/** The reaction kinds that a request selects. */
function toReactionKinds(selected: readonly (typeof kindOptions)[number][]): ReactionKind[] {
  return selected.flatMap((kind): ReactionKind[] => (kind === 'all' ? ['likes', 'recasts'] : [kind]))
}

/** Renders the first members of a reaction, without the closing brace. */
function presentReaction({ type, ts, app }: ReactionRow) {
  const isLike = type === 1
  return {
    object: isLike ? 'likes' : 'recasts',
    reaction_type: isLike ? 'like' : 'recast',
    reaction_timestamp: dateTimeOf(unixSecondsFromFarcasterSeconds(ts)),
    ...(app ? { app: userDehydrated(app) } : {}),
  }
}

const castCursors = cursorKind('reactions/cast', keyPart.integer, keyPart.integer, keyPart.int2)

/** `GET reactions/cast` */
export const reactionsCast = defineOperation({
  method: 'GET',
  path: 'reactions/cast',
  isPublic: true,
  tag: 'Reactions',
  summary: 'Fetch reactions for cast',
  description: 'Newest first. An unknown cast has no reactions.',
  query: Type.Object({
    hash: castHashParameter({ description: 'Hash of the cast.' }),
    types: listParameter(choiceParameter(kindOptions, { description: 'Type.' }), {
      maxItems: kindOptions.length,
      description: 'Types of reactions.',
    }),
    ...pagingParameters(100, 25),
    viewer_fid: viewerFidParameter,
  }),
  reply: ReactionsCastResponse,

  async handle({ db, hydrator }, { hash, types, limit, cursor, viewer_fid: viewerFid }, caller) {
    const key = castCursors.decode(cursor)
    const rows = await readCastReactions(db, hash.replace(/^0x/i, '').toLowerCase(), {
      kinds: toReactionKinds(types),
      before: key && { ts: key[0], fid: key[1], type: key[2] },
      count: limit + 1,
      ...(await viewerOf({ hydrator }, caller, viewerFid)),
    })
    const { page, next } = castCursors.page(rows, limit, (last) => [last.ts, last.fid, last.type])
    const reactions = await userItems(hydrator, page, viewerFid, (user, row) =>
      Json.of(presentReaction(row)).withMembers(json`,"user":${user}`),
    )
    return listJson('reactions', reactions, next)
  },
})

const userCursors = cursorKind('reactions/user', keyPart.integer, keyPart.hex, keyPart.int2)

/** `GET reactions/user` */
export const reactionsUser = defineOperation({
  method: 'GET',
  path: 'reactions/user',
  isPublic: true,
  tag: 'Reactions',
  summary: 'Fetch reactions of user',
  description: 'Newest first. Reactions to casts that this server does not have are left out.',
  query: Type.Object({
    fid: fidParameter({ minimum: 0, description: 'Fid of the user.' }),
    type: choiceParameter(kindOptions, { description: 'Types of reactions.' }),
    ...pagingParameters(100, 25),
    viewer_fid: viewerFidParameter,
  }),
  reply: ReactionsResponse,

  async handle({ db, hydrator }, { fid, type, limit, cursor, viewer_fid: viewerFid }, caller) {
    const key = userCursors.decode(cursor)
    const rows = await readUserReactions(db, fid, {
      kinds: toReactionKinds([type]),
      before: key && { ts: key[0], hash: key[1], type: key[2] },
      count: limit + 1,
      ...(await viewerOf({ hydrator }, caller, viewerFid)),
    })
    const { page, next } = userCursors.page(rows, limit, (last) => [last.ts, last.hash, last.type])
    const casts = await hydrator.casts(
      page.map(({ hash }) => hash),
      viewerFid,
    )
    const reactions = page.flatMap((row) => {
      const cast = casts.get(row.hash)
      if (!cast || !row.user) return []
      const members = json`,"user":${userDehydrated(row.user)},"cast":${cast}`
      return [Json.of(presentReaction(row)).withMembers(members)]
    })
    return listJson('reactions', reactions, next)
  },
})
