import { Type } from '@sinclair/typebox'
import { namedObject } from '../../../graph/view/schema/primitives.js'

export const CastMessageResponse = namedObject('CastMessageResponse', {
  message: Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'The signed message, as `GET /v1/castById` returns it.',
      examples: [{ hash: '0x71d5225f77e0164388b1d4c120825f3a2c1f131c' }],
    },
  ),
  bytes: Type.String({
    description: 'The message as it is stored, in hex: `POST /v1/submitMessage` takes these bytes.',
    examples: ['0a1b'],
  }),
})
