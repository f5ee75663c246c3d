import { Type } from '@sinclair/typebox'
import { textParameter } from '../../api/parameters.js'

/** Most characters of the header: all headers together have no more. A longer token is refused where it is read. */
const MAX_HEADER_LENGTH = 16_384

/** The header of operations that accept the bearer token of a user. */
export function bearerHeaders(description: string) {
  return Type.Object({
    authorization: Type.Optional(
      textParameter({
        maxLength: MAX_HEADER_LENGTH,
        description,
        examples: ['Bearer eyJmaWQiOjN9.eyJleHAiOjE3Nzc2MzY4MDB9.c2lnbmF0dXJl'],
      }),
    ),
  })
}
