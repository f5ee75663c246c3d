import { PlazaError } from '../../errors.js'
import { WireReader } from '../../protocol/wire.js'

/** Most messages of one request: a message that is nothing takes two bytes, and its answer a hundred. */
export const MAX_BULK_MESSAGES = 10_000

/** `messages`, field 1 of SubmitBulkMessagesRequest, length-delimited. */
const MESSAGES_TAG = (1 << 3) | 2

/**
 * The encoded messages of a SubmitBulkMessagesRequest, as slices of it. They are not decoded together: each is
 * judged for itself, and what was signed must stay as it came.
 */
export function bulkMessages(body: Buffer): Buffer[] {
  const messages: Buffer[] = []
  const reader = new WireReader(body)
  while (reader.position < body.length) {
    const tag = reader.readUint32()
    if (tag === MESSAGES_TAG) {
      const start = reader.readBytes()
      if (start < 0) throw malformed()
      messages.push(body.subarray(start, reader.position))
      if (messages.length > MAX_BULK_MESSAGES) {
        throw new PlazaError('bad_request.too_large', `more than ${MAX_BULK_MESSAGES} messages`)
      }
    } else if (tag < 8 || !reader.skip(tag & 7)) {
      throw malformed()
    }
  }
  return messages
}

function malformed(): PlazaError {
  return new PlazaError('bad_request.parse_failure', 'Invalid protobuf data: not a SubmitBulkMessagesRequest')
}
