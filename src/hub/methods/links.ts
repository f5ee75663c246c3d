import { MessageType } from '@farcaster/core'
import { MessageSet } from '../../protocol/message-kind.js'
import { readCompactStatesByFid, readLink, readLinksByFid, readLinksByTarget } from '../query/links.js'
import { fid, linkType, messagePage, optionalLinkType, targetFid } from './fields.js'
import { readMethod } from './hub-method.js'
import { messagesOfSet } from './messages-of-set.js'
import { message, messages } from './replies.js'

export const linkMethods = [
  readMethod({
    http: { path: '/linkById', failure: 'Failed to get link' },
    grpc: 'getLink',
    request: { fid, linkType, targetFid },
    reply: message('link'),
    handle: ({ fid, linkType, targetFid }, { db }) => readLink(db, fid, linkType, targetFid),
  }),
  readMethod({
    http: { path: '/linksByFid', failure: 'Failed to get links by fid' },
    grpc: 'getLinksByFid',
    request: { fid, linkType: optionalLinkType, page: messagePage },
    reply: messages,
    handle: ({ fid, linkType, page }, { db }) => readLinksByFid(db, fid, linkType, page),
  }),
  readMethod({
    http: { path: '/linksByTargetFid', failure: 'Failed to get links by target fid' },
    grpc: 'getLinksByTarget',
    request: { targetFid, linkType, page: messagePage },
    reply: messages,
    handle: ({ targetFid, linkType, page }, { db }) => readLinksByTarget(db, targetFid, linkType, page),
  }),
  readMethod({
    grpc: 'getLinkCompactStateMessageByFid',
    request: { fid, page: messagePage },
    reply: messages,
    handle: ({ fid, page }, { db }) => readCompactStatesByFid(db, fid, page),
  }),
  messagesOfSet({
    grpc: 'getAllLinkMessagesByFid',
    set: MessageSet.links,
    // Compact states are apart in the reference node, with a method of their own.
    types: [MessageType.LINK_ADD, MessageType.LINK_REMOVE],
  }),
]
