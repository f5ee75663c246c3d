import { Type } from '@sinclair/typebox'
import { messageJson } from '../../../hub/methods/json/message.js'
import { readMessageJson } from '../../../hub/methods/json/read-message.js'
import { isRefusal, refusalError } from '../../../platform/errors.js'
import { toProtobuf } from '../../../protocol/codec.js'
import { defineOperation } from '../../operation.js'
import { PublishMessageResponse } from '../schema/publishing.js'

/** A message of the protocol. `readMessageJson` checks its members. */
export const PublishMessageReqBody = Type.Object(
  {},
  { additionalProperties: true, examples: PublishMessageResponse.examples },
)

/** `POST message` */
export const publishMessage = defineOperation({
  method: 'POST',
  path: 'message',
  tag: 'Hub',
  summary: 'Publish message to Farcaster',
  description:
    'Submits a signed message in the JSON of the hub API or of the protocol’s libraries, and returns it ' +
    'in the JSON of the hub API. The signature proves the author, so any API key may send it.',
  body: PublishMessageReqBody,
  reply: PublishMessageResponse,

  async handle({ hub }, body) {
    const message = readMessageJson(body)
    if (isRefusal(message)) throw refusalError(message)
    const [refusal] = await hub.submit([message], { origin: 'client' })
    if (refusal) throw refusalError(refusal)
    return messageJson(toProtobuf(message))
  },
})
