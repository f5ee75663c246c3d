import { type LinkCompactStateBody, MessageType } from '@farcaster/core'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { LINK_COMPACT_STATE_DATA_BYTES } from './data-size.js'
import { compactKey, validateLinkType } from './link.js'

/** All of a user's links of one type in one message (docs/protocol.md §4.3). */
export const linkCompactState: MessageKind<LinkCompactStateBody> = {
  type: MessageType.LINK_COMPACT_STATE,
  set: MessageSet.links,
  side: 'compact',
  body: (data) => data.linkCompactStateBody,
  maxDataBytes: LINK_COMPACT_STATE_DATA_BYTES,
  validate: validateLinkCompactState,
  conflictKey: (body) => compactKey(body.type),
}

function validateLinkCompactState(body: LinkCompactStateBody): string | null {
  const fault = validateLinkType(body.type)
  if (fault !== null) return fault
  if (body.targetFids.length === 0) return 'target is missing'
  return body.targetFids.includes(0) ? 'fid is missing' : null
}
