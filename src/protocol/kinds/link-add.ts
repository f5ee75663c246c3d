import { type LinkBody, MessageType } from '@farcaster/core'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { BASE_DATA_BYTES } from './data-size.js'
import { linkBody, linkKey, validateLink } from './link.js'

/** A relation to another user: a follow, a block. */
export const linkAdd: MessageKind<LinkBody> = {
  type: MessageType.LINK_ADD,
  set: MessageSet.links,
  side: 'add',
  body: linkBody,
  maxDataBytes: BASE_DATA_BYTES,
  validate: validateLink,
  conflictKey: (body) => linkKey(body.type, body.targetFid ?? 0),
}
