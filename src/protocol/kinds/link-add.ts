import { type LinkBody, MessageType } from '@farcaster/core'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { linkKey, linkWire, validateLink } from './link.js'

/** LINK_ADD: a relation to another user, such as a follow or a block. */
export const linkAdd: MessageKind<LinkBody> = {
  type: MessageType.LINK_ADD,
  set: MessageSet.links,
  side: 'add',
  bodyName: 'linkBody',
  wire: linkWire,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateLink,
  conflictKey: (body) => linkKey(body.type, body.targetFid ?? 0),
}
