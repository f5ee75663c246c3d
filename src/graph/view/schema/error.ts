import { type Static, Type } from '@sinclair/typebox'

/** The reply to every failed request of the API. */
export const ErrorRes = Type.Object(
  {
    message: Type.String({ description: 'What is wrong, in words.' }),
    code: Type.Optional(Type.String({ description: 'What is wrong, for programs.' })),
    property: Type.Optional(Type.String({ description: 'The parameter or member at fault.' })),
    status: Type.Optional(Type.Integer({ format: 'int32', description: 'The HTTP status.' })),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          code: Type.String({ description: 'What kind of fault it is: `too_big`, `invalid_type`.' }),
          expected: Type.String({ description: 'What would be right.' }),
          received: Type.String({ description: 'What came.' }),
          message: Type.String(),
          path: Type.Array(Type.String(), { description: 'Where it stands: `["notification", "title"]`.' }),
        }),
        { description: 'With `InvalidField`: every member of the body that is wrong.' },
      ),
    ),
  },
  { $id: 'ErrorRes' },
)
export type ErrorRes = Static<typeof ErrorRes>
