import { type Static, Type } from '@sinclair/typebox'
import { namedObject } from './primitives.js'

/** The reply of a write operation that returns no object. */
export const OperationResponse = namedObject('OperationResponse', {
  success: Type.Optional(Type.Boolean()),
  message: Type.Optional(Type.String({ description: 'Result in plain words.', examples: ['done'] })),
})
export type OperationResponse = Static<typeof OperationResponse>
