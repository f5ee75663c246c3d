import { Message } from '@farcaster/core'
import { PlazaError, type Refusal } from '../../errors.js'
import { hexOf } from '../../protocol/bytes.js'
import { decodeMessage, isRefusal, toProtobuf } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import { type MessageJson, messageJson } from '../json/message.js'
import { bulkMessages } from './bulk-body.js'
import type { HubApi } from './hub-api.js'

/** A write of the hub API: a body of bytes, and the JSON that answers it. */
export interface PostOperation {
  readonly path: string
  readonly failure: string
  readonly answer: (body: Buffer, api: HubApi) => Promise<object>
}

export const submitOperations: readonly PostOperation[] = [
  { path: '/submitMessage', failure: 'Failed to submit message', answer: submit },
  { path: '/validateMessage', failure: 'Failed to validate message', answer: validate },
  { path: '/submitBulkMessages', failure: 'Failed to submit bulk messages', answer: submitBulk },
]

/** Answers when the message is durably merged: a read right after sees it. */
async function submit(body: Buffer, { hub }: HubApi): Promise<object> {
  const message = decodeMessage(body)
  if (isRefusal(message)) throw toError(message)
  const [refusal] = await hub.submit([message])
  if (refusal) throw toError(refusal)
  return signedMessageJson(message)
}

/** An invalid message is an answer, not an error (hub.md §2.3); bytes that are no message are. */
async function validate(body: Buffer, { hub }: HubApi): Promise<object> {
  const message = decodeMessage(body)
  if (isRefusal(message)) {
    if (message.code === 'bad_request.parse_failure') throw toError(message)
    return { valid: false, message: null }
  }
  const [refusal] = await hub.validate([message])
  return { valid: !refusal, message: signedMessageJson(message) }
}

/** Answers stand in the order of the messages; a message that is refused takes no other down (hub.md §2.4). */
async function submitBulk(body: Buffer, { hub }: HubApi): Promise<object> {
  const raw = bulkMessages(body)
  const decoded = raw.map(decodeMessage)
  const messages = decoded.filter((message): message is SignedMessage => !isRefusal(message))
  const refusals = await hub.submit(messages)
  let next = 0
  return {
    messages: decoded.map((message, index) => {
      if (isRefusal(message)) return refusedJson(claimedHash(raw[index]!), message)
      const refusal = refusals[next++]
      return refusal ? refusedJson(message.hash, refusal) : signedMessageJson(message)
    }),
  }
}

function toError(refusal: Refusal): PlazaError {
  return new PlazaError(refusal.code, refusal.message)
}

function signedMessageJson(message: SignedMessage): MessageJson {
  return messageJson(toProtobuf(message))
}

function refusedJson(hash: Uint8Array, { code, message }: Refusal): object {
  return { hash: hexOf(hash), errCode: code, message }
}

/** The hash that bytes which are no valid message claim to have, so that a client finds its message again. */
function claimedHash(bytes: Buffer): Uint8Array {
  try {
    return Message.decode(bytes).hash
  } catch {
    return Buffer.alloc(0)
  }
}
