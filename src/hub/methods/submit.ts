import { isRefusal, PlazaError, type Refusal, refusalError, refuse } from '../../platform/errors.js'
import { inSlices } from '../../platform/process/turns.js'
import { hexOf } from '../../protocol/bytes.js'
import {
  decodeMessage,
  encodeMessage,
  fidBesideDataBytes,
  isWhole,
  noData,
  toProtobuf,
} from '../../protocol/codec.js'
import { Message } from '../../protocol/definitions.js'
import { isV21 } from '../../protocol/engine-version.js'
import type { SignedMessage } from '../../protocol/message.js'
import { bodyKindOf } from '../../protocol/message-kinds.js'
import { MessageError, ValidationResponse } from '../../protocol/proto/generated/request_response.js'
import { isOfShardZero } from '../../protocol/shard.js'
import { farcasterSecondsFromUnixMs } from '../../protocol/time.js'
import type { Hub } from '../hub.js'
import { eachField, encodeFields, listReply } from '../protobuf.js'
import { toWireMessage } from './grpc/wire-bytes.js'
import { type Reply, type Transport, writeMethod } from './hub-method.js'
import { messageTypeNames } from './json/enum-names.js'
import { type MessageJson, messageJson } from './json/message.js'
import { jsonPage } from './replies.js'

/** Most messages of one request. An empty message takes two bytes, and its answer a hundred. */
export const MAX_BULK_MESSAGES = 10_000

/** `messages`, the field of SubmitBulkMessagesRequest. */
const MESSAGES = 1

/** The outcome of one message: merged, or refused with the hash that it has or claims to have. */
type Submission =
  | { readonly merged: SignedMessage }
  | { readonly refusal: Refusal; readonly hash: Uint8Array }

const signedMessage: Reply<SignedMessage> = { json: signedMessageJson, protobuf: wireMessage }

const validation: Reply<Validation> = {
  json: ({ valid, message }) => ({
    valid,
    message: message && isWhole(message) ? shownMessageJson(message) : null,
  }),
  protobuf({ valid, message }) {
    const verdict = ValidationResponse.encode({ valid, message: undefined }).finish()
    if (message === null) return verdict
    return Buffer.concat([verdict, encodeFields([{ number: 2, bytes: wireMessage(message) }])])
  },
}

const submissions: Reply<Submission[]> = {
  async json(all) {
    const slices = await inSlices(all, SLICE_MESSAGES, (slice) =>
      Buffer.from(slice.map((each) => JSON.stringify(submissionJson(each))).join()),
    )
    return jsonPage('messages', slices, {})
  },
  async protobuf(all) {
    const slices = await inSlices(all, SLICE_MESSAGES, (slice) => slice.map(bulkMessageResponse))
    return listReply(slices.flat(), undefined)
  },
}

/** Messages that are decoded or encoded in one turn of the event loop: a millisecond. */
const SLICE_MESSAGES = 50

function submissionJson(submission: Submission): object {
  if ('merged' in submission) return signedMessageJson(submission.merged)
  const { refusal, hash } = submission
  return { hash: hexOf(hash), errCode: refusal.code, message: refusal.message }
}

/** BulkMessageResponse: a message, or an error. */
function bulkMessageResponse(submission: Submission): Buffer {
  if ('merged' in submission) return encodeFields([{ number: 1, bytes: wireMessage(submission.merged) }])
  const { refusal, hash } = submission
  const error = { hash, errCode: refusal.code, message: refusal.message }
  return encodeFields([{ number: 2, bytes: MessageError.encode(error).finish() }])
}

function signedMessageJson(message: SignedMessage): MessageJson {
  return messageJson(toProtobuf(message))
}

/** @throws PlazaError for a message that has no JSON form: without a body, or of no type (docs/protocol.md §2.3). */
function shownMessageJson(message: SignedMessage): MessageJson {
  const { data } = message
  if (bodyKindOf(data) === undefined) throw refusalError(noMessageData)
  if (messageTypeNames[data.type] === undefined || data.type === 0) throw refusalError(noMessageType)
  return signedMessageJson(message)
}

const noMessageData = refuse('bad_request.validation_failure', 'No message data')
const noMessageType = refuse('bad_request.validation_failure', 'invalid message type')

function wireMessage(message: SignedMessage): Buffer {
  return toWireMessage(encodeMessage(message))
}

/** The refusal of a single message without a fid, or whose fid cannot be read (docs/protocol.md §2.2). */
const noFid = refuse('bad_request.invalid_param', 'fid cannot be 0')

/** Submits one encoded message, durably. @throws PlazaError with the code of the refusal. */
async function submitOne(hub: Hub, bytes: Buffer): Promise<SignedMessage> {
  const message = decodeMessage(bytes)
  if (isRefusal(message)) throw refusalError(message === noData ? noFid : message)
  if (message.data.fid === 0) throw refusalError(noFid)
  const [refusal] = await hub.submit([message], { origin: 'client' })
  if (refusal) throw refusalError(refusal)
  return message
}

interface Validation {
  readonly valid: boolean
  readonly message: SignedMessage | null
}

/**
 * Makes every check that needs no state but the tier. An invalid message is an answer (docs/protocol.md §2.3).
 *
 * Over gRPC the tier is that of the fid in `data`, as in the reference node: none without `data`.
 *
 * @throws PlazaError `bad_request.parse_failure` when the bytes are no message; over HTTP when it has no data.
 */
async function validateOne(hub: Hub, bytes: Buffer, transport: Transport): Promise<Validation> {
  const message = decodeMessage(bytes)
  if (isRefusal(message)) {
    if (message.code === 'bad_request.parse_failure') throw refusalError(message)
    if (message === noData && transport === 'http') throw refusalError(noMessageData)
    return { valid: false, message: null }
  }
  const tierFid = transport === 'grpc' ? fidBesideDataBytes(bytes) : message.data.fid
  const [refusal] = await hub.validate([message], [tierFid])
  return { valid: !refusal, message }
}

/**
 * Submits a SubmitBulkMessagesRequest. Each message is merged or refused for itself, and the answers have the order of
 * the request (docs/protocol.md §2.4).
 */
async function submitMany(hub: Hub, body: Buffer, hasV21: boolean): Promise<Submission[]> {
  const slices = await inSlices(bulkMessages(body), SLICE_MESSAGES, (slice) =>
    slice.map((bytes) => decodeBulkMessage(bytes, hasV21)),
  )
  const decoded = slices.flat()
  const messages = decoded.flatMap((each) => ('merged' in each ? [each.merged] : []))
  const refusals = await hub.submit(messages, { origin: 'client' })
  let next = 0
  return decoded.map((each) => {
    const refusal = 'merged' in each ? refusals[next++] : undefined
    return 'merged' in each && refusal ? { refusal, hash: each.merged.hash } : each
  })
}

/** Decodes a message of a bulk request; refuses the types that only `submitMessage` takes. */
function decodeBulkMessage(bytes: Buffer, hasV21: boolean): Submission {
  const message = decodeMessage(bytes)
  if (isRefusal(message)) return { refusal: message, hash: decodeHash(bytes) }
  if (!isOfShardZero(message.data.type, hasV21)) return { merged: message }
  const text = 'submit bulk messages not supported for shard 0'
  return { refusal: refuse('bad_request.validation_failure', text), hash: message.hash }
}

/** Slices a SubmitBulkMessagesRequest: a bad message does not affect others, and signed bytes stay. @throws PlazaError */
function bulkMessages(body: Buffer): Buffer[] {
  const messages: Buffer[] = []
  try {
    eachField(body, (number, start, content, end) => {
      if (number !== MESSAGES) return
      if (content === start) throw wrongWireType
      // At once: a body of 4 MB may have two million of them.
      if (messages.length === MAX_BULK_MESSAGES) throw tooManyMessages
      messages.push(body.subarray(content, end))
    })
  } catch (error) {
    if (error === tooManyMessages) throw refusalError(tooManyMessages)
    const text = 'Invalid protobuf data: not a SubmitBulkMessagesRequest'
    throw new PlazaError('bad_request.parse_failure', text)
  }
  return messages
}

/** The field of messages is there, and is none of bytes. */
const wrongWireType = new Error('the messages are not bytes')

const tooManyMessages = refuse('bad_request.too_large', `more than ${MAX_BULK_MESSAGES} messages`)

/** The hash that an invalid message claims to have, so that a client can identify it. */
function decodeHash(bytes: Buffer): Uint8Array {
  const { stackTraceLimit } = Error
  // Nobody sees the stack, and of 10,000 texts that are no messages it was half of the time.
  Error.stackTraceLimit = 0
  try {
    return Message.decode(bytes).hash
  } catch {
    return Buffer.alloc(0)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

export const submitMethods = [
  writeMethod({
    http: { path: '/submitMessage', failure: 'Failed to submit message' },
    grpc: 'submitMessage',
    reply: signedMessage,
    handle: (bytes, { hub }) => submitOne(hub, bytes),
  }),
  writeMethod({
    http: { path: '/validateMessage', failure: 'Failed to validate message' },
    grpc: 'validateMessage',
    reply: validation,
    handle: (bytes, { hub }, transport) => validateOne(hub, bytes, transport),
  }),
  writeMethod({
    http: { path: '/submitBulkMessages', failure: 'Failed to submit bulk messages' },
    grpc: 'submitBulkMessages',
    longWait: {
      limitMs: 60_000,
      reason: `the merge of up to ${MAX_BULK_MESSAGES.toLocaleString('en')} messages`,
    },
    reply: submissions,
    handle: (bytes, { hub, clock, network }) =>
      submitMany(hub, bytes, isV21(network, farcasterSecondsFromUnixMs(clock()))),
  }),
]
