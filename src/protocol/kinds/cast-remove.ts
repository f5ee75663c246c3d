import { type CastRemoveBody, MessageType } from '@farcaster/core'
import { asBuffer } from '../bytes.js'
import { BASE_DATA_BYTES, type MessageKind, MessageSet } from '../message-kind.js'
import { schema, single } from '../wire-schema.js'
import { validateCastHash } from './target.js'

const bodySchema = schema({ 1: single('bytes') })

/** CAST_REMOVE: removes a post. It has the conflict key of the post (docs/protocol.md §4.2). */
export const castRemove: MessageKind<CastRemoveBody> = {
  type: MessageType.CAST_REMOVE,
  set: MessageSet.casts,
  side: 'remove',
  bodyName: 'castRemoveBody',
  wire: { field: 6, schema: bodySchema },
  maxDataBytes: BASE_DATA_BYTES,
  validate: (body) => validateCastHash(body.targetHash),
  conflictKey: (body) => asBuffer(body.targetHash),
}
