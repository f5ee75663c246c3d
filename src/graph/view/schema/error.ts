import { type Static, Type } from '@sinclair/typebox'
import { namedObject } from './primitives.js'

/** The body of every failed request. */
export const ErrorRes = namedObject('ErrorRes', {
  message: Type.String({
    description: 'Reason in plain words. It may change.',
    examples: ['limit must be a whole number from 1 to 100'],
  }),
  code: Type.Optional(Type.String({ description: 'Reason for programs.', examples: ['InvalidField'] })),
  property: Type.Optional(
    Type.String({ description: 'The wrong parameter, header or member.', examples: ['limit'] }),
  ),
  status: Type.Optional(Type.Integer({ format: 'int32', description: 'HTTP status.', examples: [400] })),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        code: Type.String({
          description: 'Kind of error: `too_big`, `invalid_type`.',
          examples: ['too_big'],
        }),
        expected: Type.String({
          description: 'Expected value.',
          examples: ['a text of 1 to 32 characters'],
        }),
        received: Type.String({ description: 'Received value.', examples: ['a text of 40 characters'] }),
        message: Type.String({ examples: ['notification.title must be a text of 1 to 32 characters'] }),
        path: Type.Array(Type.String(), {
          description: 'Path of the member: `["notification", "title"]`.',
          examples: [['notification', 'title']],
        }),
      }),
      {
        description: 'With `InvalidField`: the wrong parameter, or the wrong members of a body.',
        examples: [],
      },
    ),
  ),
})
export type ErrorRes = Static<typeof ErrorRes>
