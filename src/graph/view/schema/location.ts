import { type Static, Type } from '@sinclair/typebox'

/** The place of coordinates, or the nearest one. */
export const LocationAddress = Type.Object(
  {
    city: Type.String(),
    country: Type.String(),
    country_code: Type.Optional(Type.String()),
    state: Type.Optional(Type.String()),
    state_code: Type.Optional(Type.String()),
  },
  { $id: 'LocationAddress' },
)
export type LocationAddress = Static<typeof LocationAddress>

export const Location = Type.Object(
  {
    latitude: Type.Number({ format: 'double', minimum: -90, maximum: 90 }),
    longitude: Type.Number({ format: 'double', minimum: -180, maximum: 180 }),
    radius: Type.Optional(Type.Number({ minimum: 0, description: 'Metres.' })),
    address: Type.Optional(LocationAddress),
  },
  { $id: 'Location' },
)
export type Location = Static<typeof Location>
