import { type FrameActionBody, MessageType } from '../definitions.js'
import type { MessageKind } from '../message-kind.js'
import { castIdSchema, schema, single } from '../wire-schema.js'
import { validateCastId } from './target.js'

const bodySchema = schema({
  1: single('bytes'),
  2: single('uint32'),
  3: single(castIdSchema),
  4: single('bytes'),
  5: single('bytes'),
  6: single('bytes'),
  7: single('bytes'),
})

/** FRAME_ACTION: a click on a button of a frame. It is validated for frame servers and not stored. */
export const frameAction: MessageKind<FrameActionBody> = {
  type: MessageType.FRAME_ACTION,
  set: null,
  side: 'add',
  bodyName: 'frameActionBody',
  wire: { field: 16, schema: bodySchema },
  validate: validateFrameAction,
  conflictKey: (_body, message) => message.hash,
}

/** Limits: docs/protocol.md §3.3. */
function validateFrameAction(body: FrameActionBody): string | null {
  if (body.buttonIndex > 5) return 'Invalid button index'
  if (body.url.length === 0) return 'value is missing'
  const isTooLong =
    body.url.length > 1024 ||
    body.inputText.length > 256 ||
    body.state.length > 4096 ||
    body.transactionId.length > 256 ||
    body.address.length > 64
  if (isTooLong) return 'value is too long'
  return body.castId === undefined ? null : validateCastId(body.castId)
}
