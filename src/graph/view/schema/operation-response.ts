import { type Static, Type } from '@sinclair/typebox'

/** The answer of operations that write and have nothing to show for it. */
export const OperationResponse = Type.Object(
  {
    success: Type.Optional(Type.Boolean()),
    message: Type.Optional(Type.String({ description: 'What was done, in words.' })),
  },
  { $id: 'OperationResponse' },
)
export type OperationResponse = Static<typeof OperationResponse>
