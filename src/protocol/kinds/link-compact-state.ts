import { type LinkCompactStateBody, MessageType } from '@farcaster/core'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { repeatedField, schema, single } from '../wire-schema.js'
import { compactKey, validateLinkType } from './link.js'

const MAX_DATA_BYTES = 65_536
const bodySchema = schema({ 1: single('string'), 2: repeatedField('uint64') })

/** LINK_COMPACT_STATE: all links of one type in one message (docs/protocol.md §4.3). */
export const linkCompactState: MessageKind<LinkCompactStateBody> = {
  type: MessageType.LINK_COMPACT_STATE,
  set: MessageSet.links,
  side: 'compact',
  bodyName: 'linkCompactStateBody',
  wire: { field: 17, schema: bodySchema },
  maxDataBytes: MAX_DATA_BYTES,
  validate: validateLinkCompactState,
  conflictKey: (body) => compactKey(body.type),
}

function validateLinkCompactState(body: LinkCompactStateBody): string | null {
  const fault = validateLinkType(body.type)
  if (fault !== null) return fault
  if (body.targetFids.length === 0) return 'target is missing'
  return body.targetFids.includes(0) ? 'fid is missing' : null
}
