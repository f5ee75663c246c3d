import { Type } from '@sinclair/typebox'
import { namedObject } from '../../../graph/view/schema/primitives.js'

const counts = {
  requests: Type.Integer({ minimum: 0, examples: [1200] }),
  refusals: Type.Integer({
    minimum: 0,
    description: 'Of these, replies with a status of 400 and above.',
    examples: [3],
  }),
}

export const AppUsageResponse = namedObject('AppUsageResponse', {
  days: Type.Array(
    Type.Object(
      {
        object: Type.Literal('usage_day'),
        day: Type.String({
          pattern: '^\\d{4}-\\d{2}-\\d{2}$',
          description: 'UTC.',
          examples: ['2026-05-01'],
        }),
        ...counts,
      },
      { $id: 'UsageDay', description: 'Requests with the keys of an app on one day.' },
    ),
  ),
  operations: Type.Array(
    Type.Object(
      {
        object: Type.Literal('usage_operation'),
        api_key_id: Type.Integer({ format: 'int32', minimum: 1, examples: [7] }),
        prefix: Type.String({ description: 'First characters of the key.', examples: ['plaza_8f2Kq'] }),
        operation: Type.String({
          description: '`other`: no documented operation.',
          examples: ['GET cast/search'],
        }),
        ...counts,
      },
      { $id: 'UsageOperation', description: 'Requests of a key to an operation.' },
    ),
  ),
  complete: Type.Boolean({
    description: 'Whether `operations` has all pairs of a key and an operation.',
    examples: [true],
  }),
})
