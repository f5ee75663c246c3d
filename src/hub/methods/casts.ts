import { MessageType } from '../../protocol/definitions.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { castParentKey, type Target } from '../message-target.js'
import { readCastsByMention, readMessage, readTargetPage } from '../query/message-page.js'
import { type Field, fid, hash, messagePage } from './fields.js'
import { targetOf } from './grpc/request.js'
import { parseFid, parseHash } from './http/parameters.js'
import { readMethod } from './hub-method.js'
import { messagesOfSet, messagesOfType } from './message-lists.js'
import { required } from './refusals.js'
import { message, messages } from './replies.js'

/** A parent of casts: a cast when both of its parts are given, else a URL. */
const parent: Field<Target> = {
  parameters: ['fid', 'hash', 'url'],
  members: ['parentCastId', 'parentUrl'],
  fromQuery(query) {
    const parentFid = query.read(parseFid, 'fid')
    const hasHash = query.text('hash') !== null
    if (hasHash && parentFid !== null)
      return { castId: { fid: parentFid, hash: query.require(parseHash, 'hash') } }
    const url = query.text('url')
    if (url !== null) return { url }
    return required(parentFid === null ? (hasHash ? 'fid' : 'url') : 'hash')
  },
  fromRequest: ({ parentCastId, parentUrl }) => targetOf(parentCastId, parentUrl, 'parent'),
}

export const castMethods = [
  readMethod({
    http: { path: '/castById', failure: 'Failed to get cast' },
    grpc: 'getCast',
    request: { fid, hash },
    reply: message('cast'),
    handle: ({ fid, hash }, { db }) => readMessage(db, fid, MessageType.CAST_ADD, hash),
  }),
  messagesOfType({ grpc: 'getCastsByFid', type: MessageType.CAST_ADD }),
  messagesOfSet({
    // The only list by user that shows removals over HTTP, as in the reference node (docs/protocol.md §2.1).
    http: { path: '/castsByFid', failure: 'Failed to get casts' },
    grpc: 'getAllCastMessagesByFid',
    set: MessageSet.casts,
  }),
  readMethod({
    http: { path: '/castsByParent', failure: 'Failed to get casts by parent' },
    grpc: 'getCastsByParent',
    request: { parent, page: messagePage },
    reply: messages,
    handle: ({ parent, page }, { db }) => readTargetPage(db, castParentKey(parent), page),
  }),
  readMethod({
    http: { path: '/castsByMention', failure: 'Failed to get casts by mention' },
    grpc: 'getCastsByMention',
    request: { fid, page: messagePage },
    reply: messages,
    handle: ({ fid, page }, { db }) => readCastsByMention(db, fid, page),
  }),
]
