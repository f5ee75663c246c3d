import { MessageError, ValidationResponse } from '@farcaster/core'
import { encodeMessage } from '../../../protocol/codec.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { type Submission, submitMany, submitOne, validateOne } from '../../submissions.js'
import { encodeFields } from './encoding.js'
import type { UnaryMethod } from './grpc-api.js'
import { listReply } from './replies.js'
import { toWireMessage } from './wire-bytes.js'

/** The bytes of messages are taken as they come: what was signed is not decoded by anybody before it is checked. */
export const submitMethods: readonly UnaryMethod[] = [
  { name: 'submitMessage', answer: async (request, { hub }) => wireMessage(await submitOne(hub, request)) },
  {
    name: 'submitBulkMessages',
    answer: async (request, { hub }) =>
      listReply((await submitMany(hub, request)).map(bulkMessageResponse), undefined),
  },
  {
    name: 'validateMessage',
    answer: async (request, { hub }) => {
      const { valid, message } = await validateOne(hub, request)
      const verdict = ValidationResponse.encode({ valid, message: undefined }).finish()
      if (message === null) return verdict
      return Buffer.concat([verdict, encodeFields([{ number: 2, bytes: wireMessage(message) }])])
    },
  },
]

function wireMessage(message: SignedMessage): Buffer {
  return toWireMessage(encodeMessage(message))
}

/** BulkMessageResponse: a message, or an error. */
function bulkMessageResponse(submission: Submission): Buffer {
  if ('merged' in submission) return encodeFields([{ number: 1, bytes: wireMessage(submission.merged) }])
  const { refusal, hash } = submission
  const error = { hash, errCode: refusal.code, message: refusal.message }
  return encodeFields([{ number: 2, bytes: MessageError.encode(error).finish() }])
}
