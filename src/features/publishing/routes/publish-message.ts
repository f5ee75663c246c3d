import { Type } from '@sinclair/typebox'
import { PublishMessageResponse } from '../../../graph/view/schema/publishing.js'
import { messageJson } from '../../../hub/methods/json/message.js'
import { readMessageJson } from '../../../hub/methods/json/read-message.js'
import { PlazaError } from '../../../platform/errors.js'
import { isRefusal, toProtobuf } from '../../../protocol/codec.js'
import { defineOperation } from '../../operation.js'

/** A message of the protocol; what is in it is checked by its reader. */
export const PublishMessageReqBody = Type.Object({}, { additionalProperties: true })

/** `POST message` */
export const publishMessage = defineOperation({
  method: 'POST',
  path: 'message',
  tag: 'Message',
  summary: 'Publish a message that is signed already',
  description: [
    'In the JSON that the hub API shows, or that the protocol’s own libraries write. The signature says who speaks, so',
    'any API key may send it. Answers the message as the hub API shows it.',
  ].join(' '),
  body: PublishMessageReqBody,
  reply: PublishMessageResponse,

  async handle({ hub }, body) {
    const message = readMessageJson(body)
    if (isRefusal(message)) throw new PlazaError(message.code, message.message)
    const [refusal] = await hub.submit([message])
    if (refusal) throw new PlazaError(refusal.code, refusal.message)
    return JSON.stringify(messageJson(toProtobuf(message)))
  },
})
