import { Type } from '@sinclair/typebox'
import { namedObject } from '../../../graph/view/schema/primitives.js'

/** The 207 of a partly applied update. */
export const UpdateUserPartly = namedObject('UpdateUserPartly', {
  success: Type.Boolean({ description: 'Always false.', examples: [false] }),
  errors: Type.Array(
    Type.Object({
      message: Type.String({
        description: 'Refused member and the reason.',
        examples: ['username: alice is not registered to this fid'],
      }),
    }),
  ),
})
