import { invalidField } from '../../api/invalid-field.js'
import { describeError, isRefusal, type PlazaError, refusalError } from '../../platform/errors.js'
import { asBuffer } from '../../protocol/bytes.js'
import { decodeMessage } from '../../protocol/codec.js'
import { type FrameActionBody, MessageType } from '../../protocol/definitions.js'
import type { SignedMessage } from '../../protocol/message.js'
import type { OperationContext } from '../operation.js'

/** A frame action as its user signed it. */
export interface FrameAction {
  readonly message: SignedMessage
  readonly fid: number
  readonly url: string
  readonly buttonIndex: number
  /** The cast that shows the frame; null for a frame without one. Its hash is hex without 0x. */
  readonly cast: { readonly fid: number; readonly hash: string } | null
  readonly inputText: string
  readonly state: string
  readonly transactionId: Buffer
  readonly address: Buffer
  /** Farcaster seconds. */
  readonly timestamp: number
}

/** A frame action, or why a message is none that counts. */
export type FrameActionVerdict = { readonly action: FrameAction } | { readonly problem: string }

/**
 * Validates a frame action: its form, hash and signature, and that the key is an active key of the user.
 *
 * @param hex The encoded message, with or without 0x.
 * @throws PlazaError `bad_request.invalid_param` for what is no frame action; `unavailable` when the hub is.
 */
export async function validateFrameAction(
  { hub }: Pick<OperationContext, 'hub'>,
  hex: string,
): Promise<FrameActionVerdict> {
  const message = decodeMessage(bytesOf(hex))
  if (isRefusal(message)) {
    if (message.code === 'bad_request.parse_failure') throw notAnAction(message.message)
    return { problem: message.message }
  }
  const body = message.data.frameActionBody
  if (message.data.type !== MessageType.FRAME_ACTION || body === undefined) {
    throw notAnAction('it is a message of another type')
  }
  const refusal = await hub.checkUnstored(message)
  if (!refusal) return { action: readFrameAction(message, body) }
  if (describeError(refusal.code).retry) throw refusalError(refusal)
  return { problem: refusal.message }
}

function bytesOf(hex: string): Buffer {
  const digits = hex.replace(/^0x/i, '')
  if (!/^([\da-f]{2})+$/i.test(digits)) throw notAnAction('it is not hex')
  return Buffer.from(digits, 'hex')
}

function readFrameAction(message: SignedMessage, body: FrameActionBody): FrameAction {
  const { fid, timestamp } = message.data
  const { buttonIndex, castId } = body
  return {
    message,
    fid,
    timestamp,
    buttonIndex,
    url: textOf(body.url),
    cast: castId ? { fid: castId.fid, hash: asBuffer(castId.hash).toString('hex') } : null,
    inputText: textOf(body.inputText),
    state: textOf(body.state),
    transactionId: asBuffer(body.transactionId),
    address: asBuffer(body.address),
  }
}

function textOf(bytes: Uint8Array): string {
  return asBuffer(bytes).toString()
}

function notAnAction(problem: string): PlazaError {
  return invalidField('message_bytes_in_hex', `must be the hex of a frame action: ${problem}`)
}
