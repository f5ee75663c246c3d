import { Type } from '@sinclair/typebox'
import { PlazaError } from '../../platform/errors.js'

const MAX_IDEM_LENGTH = 128

/** The idempotency key of a request. */
export const idemMember = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_IDEM_LENGTH,
    // A client that forgot to fill it in would repeat what it must not.
    refusesEmpty: true,
    description:
      'Idempotency key of the request. A repeated request returns the first reply and publishes nothing. Use 16 random ' +
      'characters.',
    examples: ['b3f1c0a9d8e7f6a5'],
  }),
)

/** Documentation of 409. */
export const idemConflict = 'Another request of the app has this `idem`.'

/** Builds the error for an `idem` that another request of the app has. */
export function idemConflictError(): PlazaError {
  return new PlazaError('conflict', 'this idem belongs to another request', { property: 'idem' })
}
