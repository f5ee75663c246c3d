import type { Refusal } from '../../../platform/errors.js'
import { hexOf } from '../../../protocol/bytes.js'
import { toProtobuf } from '../../../protocol/codec.js'
import type { SignedMessage } from '../../../protocol/message.js'
import { submitMany, submitOne, validateOne } from '../../submissions.js'
import { type MessageJson, messageJson } from '../json/message.js'
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

async function submit(body: Buffer, { hub }: HubApi): Promise<object> {
  return signedMessageJson(await submitOne(hub, body))
}

async function validate(body: Buffer, { hub }: HubApi): Promise<object> {
  const { valid, message } = await validateOne(hub, body)
  return { valid, message: message && signedMessageJson(message) }
}

async function submitBulk(body: Buffer, { hub }: HubApi): Promise<object> {
  const submissions = await submitMany(hub, body)
  return {
    messages: submissions.map((submission) =>
      'merged' in submission
        ? signedMessageJson(submission.merged)
        : refusedJson(submission.hash, submission.refusal),
    ),
  }
}

function signedMessageJson(message: SignedMessage): MessageJson {
  return messageJson(toProtobuf(message))
}

function refusedJson(hash: Uint8Array, { code, message }: Refusal): object {
  return { hash: hexOf(hash), errCode: code, message }
}
