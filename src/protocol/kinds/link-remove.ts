import { type LinkBody, MessageType } from '@farcaster/core'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { linkKey, linkWire, validateLink } from './link.js'

/** LINK_REMOVE: ends a relation to another user. */
export const linkRemove: MessageKind<LinkBody> = {
  type: MessageType.LINK_REMOVE,
  set: MessageSet.links,
  side: 'remove',
  bodyName: 'linkBody',
  wire: linkWire,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateLink,
  conflictKey: (body) => linkKey(body.type, body.targetFid ?? 0),
}
