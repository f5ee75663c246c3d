import { type Static, Type } from '@sinclair/typebox'

/** The place at or near coordinates. */
export const LocationAddress = Type.Object(
  {
    city: Type.String({ examples: ['Berlin'] }),
    country: Type.String({ examples: ['Germany'] }),
    country_code: Type.Optional(Type.String({ examples: ['DE'] })),
    state: Type.Optional(Type.String({ examples: ['Berlin'] })),
    state_code: Type.Optional(Type.String({ examples: ['BE'] })),
  },
  { $id: 'LocationAddress' },
)
export type LocationAddress = Static<typeof LocationAddress>

export const Location = Type.Object(
  {
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
  },
  { $id: 'Location' },
)
export type Location = Static<typeof Location>
