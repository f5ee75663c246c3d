import { type Static, Type } from '@sinclair/typebox'

export const FnameAvailabilityResponse = Type.Object(
  { available: Type.Boolean() },
  { $id: 'FnameAvailabilityResponse' },
)
export type FnameAvailabilityResponse = Static<typeof FnameAvailabilityResponse>
