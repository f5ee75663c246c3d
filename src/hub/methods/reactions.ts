import type { ReactionType } from '@farcaster/core'
import { MessageSet } from '../../protocol/message-kind.js'
import type { Target } from '../message-target.js'
import {
  reactionTypesFor,
  readReaction,
  readReactionsByFid,
  readReactionsByTarget,
} from '../query/reactions.js'
import { type Field, fid, messagePage } from './fields.js'
import { enumValueOf, type GrpcRequest, targetOf } from './grpc/request.js'
import type { Parameters } from './http/parameters.js'
import { readMethod } from './hub-method.js'
import { reactionTypeNames } from './json/enum-names.js'
import { messagesOfSet } from './messages-of-set.js'
import { required } from './refusals.js'
import { message, messages } from './replies.js'

/** The reference node takes these names, hubs before it the long ones and numbers (docs/protocol.md §2.6). */
const shortNames = ['None', 'Like', 'Recast']

function typeOfQuery(query: Parameters): ReactionType | null {
  const short = shortNames.indexOf(query.text('reaction_type') ?? '')
  return short >= 0 ? short : query.optionalEnumValue('reaction_type', reactionTypeNames)
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

/** The types of a list: all without a type, and for the type NONE. */
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
    const targetFid = query.optionalFid('target_fid')
    if (targetFid !== null) return { castId: { fid: targetFid, hash: query.hash('target_hash') } }
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
  fromQuery: (query) => ({ castId: { fid: query.fid('target_fid'), hash: query.hash('target_hash') } }),
}

/** A URL over HTTP; over gRPC a cast or a URL. */
const targetUrl: Field<Target> = {
  ...target,
  parameters: ['url'],
  fromQuery: (query) => ({ url: query.requiredText('url') }),
}

export const reactionMethods = [
  readMethod({
    http: { path: '/reactionById', failure: 'Failed to get reaction' },
    grpc: 'getReaction',
    request: { fid, type, target },
    reply: message('reaction'),
    handle: ({ fid, type, target }, { db }) =>
      readReaction(db, fid, {
        type,
        targetCastId: 'castId' in target ? target.castId : undefined,
        targetUrl: 'url' in target ? target.url : undefined,
      }),
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
    handle: ({ target, types, page }, { db }) => readReactionsByTarget(db, target, types, page),
  }),
  readMethod({
    http: { path: '/reactionsByTarget', failure: 'Failed to get reactions by target' },
    grpc: 'getReactionsByTarget',
    request: { target: targetUrl, types: optionalTypes, page: messagePage },
    reply: messages,
    handle: ({ target, types, page }, { db }) => readReactionsByTarget(db, target, types, page),
  }),
  messagesOfSet({
    grpc: 'getAllReactionMessagesByFid',
    set: MessageSet.reactions,
  }),
]
