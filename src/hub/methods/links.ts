import { MessageType } from '../../protocol/definitions.js'
import { linkKey } from '../../protocol/kinds/link.js'
import { MessageSet } from '../../protocol/message-kind.js'
import { linkTargetKey } from '../message-target.js'
import { readLinksByFid, readMessage, readTargetPage } from '../query/message-page.js'
import { fid, linkType, messagePage, optionalLinkType, targetFid } from './fields.js'
import { readMethod } from './hub-method.js'
import { messagesOfSet, messagesOfType } from './message-lists.js'
import { message, messages } from './replies.js'

export const linkMethods = [
  readMethod({
    http: { path: '/linkById', failure: 'Failed to get link' },
    grpc: 'getLink',
    request: { fid, linkType, targetFid },
    reply: message('cast'),
    handle: ({ fid, linkType, targetFid }, { db }) =>
      readMessage(db, fid, MessageType.LINK_ADD, linkKey(linkType, targetFid)),
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
    handle: ({ targetFid, linkType, page }, { db }) =>
      readTargetPage(db, linkTargetKey(linkType, targetFid), page),
  }),
  messagesOfType({ grpc: 'getLinkCompactStateMessageByFid', type: MessageType.LINK_COMPACT_STATE }),
  messagesOfSet({
    grpc: 'getAllLinkMessagesByFid',
    set: MessageSet.links,
    // Compact states are apart in the reference node, with a method of their own.
    types: [MessageType.LINK_ADD, MessageType.LINK_REMOVE],
  }),
]
