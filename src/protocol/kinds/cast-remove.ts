import { type CastRemoveBody, MessageType } from '@farcaster/core'
import { asBuffer } from '../bytes.js'
import { type MessageKind, MessageSet } from '../message-kind.js'
import { validateCastHash } from './cast-id.js'
import { BASE_DATA_BYTES } from './data-size.js'

/** Takes a post back, under the key of the post itself (docs/protocol.md §4.2). */
export const castRemove: MessageKind<CastRemoveBody> = {
  type: MessageType.CAST_REMOVE,
  set: MessageSet.casts,
  side: 'remove',
  body: (data) => data.castRemoveBody,
  maxDataBytes: BASE_DATA_BYTES,
  validate: (body) => validateCastHash(body.targetHash),
  conflictKey: (body) => asBuffer(body.targetHash),
}
