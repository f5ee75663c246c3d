import { Type } from '@sinclair/typebox'
import { FnameAvailabilityResponse } from '../../../views/schema/fname.js'
import { defineOperation } from '../../operation.js'
import { textParameter } from '../../parameters.js'

/** `GET fname/availability` */
export const fnameAvailability = defineOperation({
  method: 'GET',
  path: 'fname/availability',
  tag: 'Fname',
  summary: 'Whether a username is free',
  description: 'A name is free when nobody has it, or when it was released.',
  query: Type.Object({
    fname: textParameter({ maxLength: 256, description: 'The name, in any case.' }),
  }),
  reply: FnameAvailabilityResponse,

  async handle({ db }, { fname }) {
    const holders = await db`
      select 1 from hub.username_proofs where name = ${fname.toLowerCase()} and fid <> 0`
    return { available: holders.length === 0 }
  },
})
