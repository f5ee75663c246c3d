import { type Static, Type } from '@sinclair/typebox'

/** The reply of a write operation that returns no object. */
export const OperationResponse = Type.Object(
  {
    success: Type.Optional(Type.Boolean()),
    message: Type.Optional(Type.String({ description: 'Result in plain words.', examples: ['done'] })),
  },
  { $id: 'OperationResponse' },
)
export type OperationResponse = Static<typeof OperationResponse>
