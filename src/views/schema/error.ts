import { type Static, Type } from '@sinclair/typebox'

/** What every failed request of the API answers. */
export const ErrorRes = Type.Object(
  {
    message: Type.String({ description: 'What is wrong, in words.' }),
    code: Type.Optional(Type.String({ description: 'What is wrong, for programs.' })),
    property: Type.Optional(Type.String({ description: 'The parameter or member at fault.' })),
    status: Type.Optional(Type.Integer({ format: 'int32', description: 'The HTTP status.' })),
  },
  { $id: 'ErrorRes' },
)
export type ErrorRes = Static<typeof ErrorRes>
