import { Type } from '@sinclair/typebox'
import { nullable } from './schema-type.js'

/** The cursor of the next page. */
export const NextCursor = Type.Object(
  {
    cursor: nullable(
      Type.String({ description: '`cursor` of the next request.', examples: ['WyJmZWVkIiwxNjM1OTAwMDBd'] }),
    ),
  },
  { $id: 'NextCursor', description: '`cursor` is null on the last page.' },
)
