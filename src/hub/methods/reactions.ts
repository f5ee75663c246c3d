import { MessageType, ReactionType } from '../../protocol/definitions.js'
import { reactionKey } from '../../protocol/kinds/reaction.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { reactionTargetKey, type Target } from '../message-target.js'
import {
  type MessagePage,
  type MessagePageOptions,
  readMessage,
  readReactionsByFid,
  readTargetsPage,
} from '../query/message-page.js'
import { type Field, fid, messagePage } from './fields.js'
import { enumValueOf, type GrpcRequest, targetOf } from './grpc/request.js'
import { enumParser, type Parameters, parseFid, parseHash, parseText } from './http/parameters.js'
import { type MethodContext, readMethod } from './hub-method.js'
import { reactionTypeNames } from './json/enum-names.js'
import { messagesOfSet } from './message-lists.js'
import { required } from './refusals.js'
import { message, messages } from './replies.js'

/** The reference node takes these names, hubs before it the long ones and numbers (docs/protocol.md §2.6). */
const shortNames = ['None', 'Like', 'Recast']

function typeOfQuery(query: Parameters): ReactionType | null {
  const short = shortNames.indexOf(query.text('reaction_type') ?? '')
  return short >= 0 ? short : query.read(enumParser(reactionTypeNames), 'reaction_type')
}

function typeOfRequest({ reactionType }: GrpcRequest): ReactionType {
  return enumValueOf(reactionType, reactionTypeNames, 'reaction_type')
}

const type: Field<ReactionType> = {
  parameters: ['reaction_type'],
  members: ['reactionType'],
  fromQuery: (query) => typeOfQuery(query) ?? required('reaction_type'),
  fromRequest: typeOfRequest,
}

/** The types that a request selects: all without a type, and for the type NONE. */
function reactionTypesFor(type: ReactionType | null): ReactionType[] {
  return type === null || type === ReactionType.NONE ? [ReactionType.LIKE, ReactionType.RECAST] : [type]
}

/** The types of a list. */
const optionalTypes: Field<ReactionType[]> = {
  ...type,
  fromQuery: (query) => reactionTypesFor(typeOfQuery(query)),
  fromRequest: (request) =>
    reactionTypesFor(request.reactionType === undefined ? null : typeOfRequest(request)),
}

/** The types of a list that has to name one over HTTP, as in the reference node. */
const types: Field<ReactionType[]> = {
  ...optionalTypes,
  fromQuery: (query, shards) => reactionTypesFor(type.fromQuery(query, shards)),
}

/** A cast or a URL. */
const target: Field<Target> = {
  parameters: ['target_fid', 'target_hash', 'target_url'],
  members: ['targetCastId', 'targetUrl'],
  fromQuery(query) {
    const targetFid = query.read(parseFid, 'target_fid')
    if (targetFid !== null)
      return { castId: { fid: targetFid, hash: query.require(parseHash, 'target_hash') } }
    const url = query.text('target_url')
    if (url !== null) return { url }
    return required(query.text('target_hash') === null ? 'target_url' : 'target_fid')
  },
  fromRequest: ({ targetCastId, targetUrl }) => targetOf(targetCastId, targetUrl, 'target'),
}

/** A cast over HTTP; over gRPC a cast or a URL. */
const targetCast: Field<Target> = {
  ...target,
  parameters: ['target_fid', 'target_hash'],
  fromQuery(query) {
    const targetFid = query.require(parseFid, 'target_fid')
    return { castId: { fid: targetFid, hash: query.require(parseHash, 'target_hash') } }
  },
}

/** A URL over HTTP; over gRPC a cast or a URL. */
const targetUrl: Field<Target> = {
  ...target,
  parameters: ['url'],
  fromQuery: (query) => ({ url: query.require(parseText, 'url') }),
}

function readReactionsByTarget(
  { target, types, page }: { target: Target; types: ReactionType[]; page: MessagePageOptions },
  { db }: MethodContext,
): Promise<MessagePage> {
  const targets = types.map((type) => reactionTargetKey(type, target))
  return readTargetsPage(db, targets, page)
}

export const reactionMethods = [
  readMethod({
    http: { path: '/reactionById', failure: 'Failed to get reaction' },
    grpc: 'getReaction',
    request: { fid, type, target },
    reply: message('cast'),
    handle({ fid, type, target }, { db }) {
      const body = 'url' in target ? { targetUrl: target.url } : { targetCastId: target.castId }
      return readMessage(db, fid, MessageType.REACTION_ADD, reactionKey({ type, ...body }))
    },
  }),
  readMethod({
    http: { path: '/reactionsByFid', failure: 'Failed to get reactions by fid' },
    grpc: 'getReactionsByFid',
    request: { types, fid, page: messagePage },
    reply: messages,
    handle: ({ types, fid, page }, { db }) => readReactionsByFid(db, fid, types, page),
  }),
  readMethod({
    http: { path: '/reactionsByCast', failure: 'Failed to get reactions by cast' },
    grpc: 'getReactionsByCast',
    request: { target: targetCast, types: optionalTypes, page: messagePage },
    reply: messages,
    handle: readReactionsByTarget,
  }),
  readMethod({
    http: { path: '/reactionsByTarget', failure: 'Failed to get reactions by target' },
    grpc: 'getReactionsByTarget',
    request: { target: targetUrl, types: optionalTypes, page: messagePage },
    reply: messages,
    handle: readReactionsByTarget,
  }),
  messagesOfSet({ grpc: 'getAllReactionMessagesByFid', set: MessageSet.reactions }),
]
