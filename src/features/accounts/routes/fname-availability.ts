import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { FnameAvailabilityResponse } from '../../../graph/view/schema/fname.js'
import { defineOperation } from '../../operation.js'
import { isNameFree } from '../registration/name-availability.js'

/** `GET fname/availability` */
export const fnameAvailability = defineOperation({
  method: 'GET',
  path: 'fname/availability',
  tag: 'Fname',
  summary: 'Whether a username is free',
  description:
    'A name is free when nobody has it, or when it was released, and no account is being registered with it.',
  query: Type.Object({
    fname: textParameter({ maxLength: 256, description: 'The name, in any case.' }),
  }),
  reply: FnameAvailabilityResponse,

  async handle({ db }, { fname }) {
    return { available: await isNameFree(db, fname.toLowerCase()) }
  },
})
