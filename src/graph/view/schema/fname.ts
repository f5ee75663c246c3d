import { Type } from '@sinclair/typebox'
import { namedObject } from './schema-type.js'

export const FnameAvailabilityResponse = namedObject('FnameAvailabilityResponse', {
  available: Type.Boolean(),
})
