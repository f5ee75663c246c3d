import { type Static, Type } from '@sinclair/typebox'
import { namedObject } from './schema-type.js'

/** The place at or near coordinates. */
export const LocationAddress = namedObject('LocationAddress', {
  city: Type.String({ examples: ['Berlin'] }),
  country: Type.String({ examples: ['Germany'] }),
  country_code: Type.Optional(Type.String({ examples: ['DE'] })),
  state: Type.Optional(Type.String({ examples: ['Berlin'] })),
  state_code: Type.Optional(Type.String({ examples: ['BE'] })),
})
export type LocationAddress = Static<typeof LocationAddress>

export const Location = namedObject('Location', {
  latitude: Type.Number({ format: 'double', minimum: -90, maximum: 90, examples: [52.52] }),
  longitude: Type.Number({ format: 'double', minimum: -180, maximum: 180, examples: [13.4] }),
  radius: Type.Optional(
    Type.Number({
      minimum: 0,
      description: 'Meters. Absent: profiles of the protocol have no radius.',
      examples: [],
    }),
  ),
  address: Type.Optional(LocationAddress),
})
