import { type LinkBody, MessageType } from '@farcaster/core'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { BASE_DATA_BYTES } from './data-size.js'
import { linkBody, linkKey, validateLink } from './link.js'

/** Ends a relation to another user. */
export const linkRemove: MessageKind<LinkBody> = {
  type: MessageType.LINK_REMOVE,
  set: MessageSet.links,
  side: 'remove',
  body: linkBody,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateLink,
  conflictKey: (body) => linkKey(body.type, body.targetFid ?? 0),
}
