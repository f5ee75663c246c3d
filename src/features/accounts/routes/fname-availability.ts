import { Type } from '@sinclair/typebox'
import { textParameter } from '../../../api/parameters.js'
import { FnameAvailabilityResponse } from '../../../graph/view/schema/fname.js'
import { defineOperation } from '../../operation.js'
import { isNameFree } from '../registration/name-availability.js'

/** `GET fname/availability` */
export const fnameAvailability = defineOperation({
  method: 'GET',
  path: 'fname/availability',
  tag: 'Users',
  summary: 'Check fname availability',
  description:
    'A name is available if no user holds it, or its holder released it, and no registration in progress ' +
    'uses it.',
  query: Type.Object({
    fname: textParameter({
      maxLength: 256,
      description: 'Name without `@`. Case does not matter.',
      examples: ['alice'],
    }),
  }),
  reply: FnameAvailabilityResponse,

  async handle({ db }, { fname }) {
    return { available: await isNameFree(db, fname.toLowerCase()) }
  },
})
