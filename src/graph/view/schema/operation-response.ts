import { type Static, Type } from '@sinclair/typebox'

/** The reply of write operations that return no object. */
export const OperationResponse = Type.Object(
  {
    success: Type.Optional(Type.Boolean()),
    message: Type.Optional(Type.String({ description: 'What was done, in words.' })),
  },
  { $id: 'OperationResponse' },
)
export type OperationResponse = Static<typeof OperationResponse>
