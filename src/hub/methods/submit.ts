import { MessageError, ValidationResponse } from '@farcaster/core'
import { hexOf } from '../../protocol/bytes.js'
import { encodeMessage, toProtobuf } from '../../protocol/codec.js'
import type { SignedMessage } from '../../protocol/message.js'
import { type Submission, submitMany, submitOne, validateOne } from '../submissions.js'
import { toWireMessage } from './grpc/wire-bytes.js'
import { type Reply, writeMethod } from './hub-method.js'
import { type MessageJson, messageJson } from './json/message.js'
import { encodeFields, listReply } from '../protobuf.js'

const signedMessage: Reply<SignedMessage> = { json: signedMessageJson, protobuf: wireMessage }

const validation: Reply<{ readonly valid: boolean; readonly message: SignedMessage | null }> = {
  json: ({ valid, message }) => ({ valid, message: message && signedMessageJson(message) }),
  protobuf({ valid, message }) {
    const verdict = ValidationResponse.encode({ valid, message: undefined }).finish()
    if (message === null) return verdict
    return Buffer.concat([verdict, encodeFields([{ number: 2, bytes: wireMessage(message) }])])
  },
}

const submissions: Reply<Submission[]> = {
  json: (all) => ({ messages: all.map(submissionJson) }),
  protobuf: (all) => listReply(all.map(bulkMessageResponse), undefined),
}

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

function wireMessage(message: SignedMessage): Buffer {
  return toWireMessage(encodeMessage(message))
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
    handle: (bytes, { hub }) => validateOne(hub, bytes),
  }),
  writeMethod({
    http: { path: '/submitBulkMessages', failure: 'Failed to submit bulk messages' },
    grpc: 'submitBulkMessages',
    reply: submissions,
    handle: (bytes, { hub }) => submitMany(hub, bytes),
  }),
]
