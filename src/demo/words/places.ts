/** A city that people of the demo network live in. */
export interface Place {
  readonly city: string
  /** Degrees, two decimals: what a profile's location holds. */
  readonly latitude: number
  readonly longitude: number
  /** Hours that local time is ahead of UTC. */
  readonly utcOffsetHours: number
  /** ISO 639-1 of what is spoken in casts from there; English is written everywhere. */
  readonly language: string
}

const rows: readonly (readonly [string, number, number, number, string])[] = [
  ['London', 51.51, -0.13, 0, 'en'],
  ['Leeds', 53.8, -1.55, 0, 'en'],
  ['Dublin', 53.35, -6.26, 0, 'en'],
  ['New York', 40.71, -74.01, -5, 'en'],
  ['Chicago', 41.88, -87.63, -6, 'en'],
  ['Austin', 30.27, -97.74, -6, 'en'],
  ['Portland', 45.52, -122.68, -8, 'en'],
  ['Oakland', 37.8, -122.27, -8, 'en'],
  ['Toronto', 43.65, -79.38, -5, 'en'],
  ['Sydney', -33.87, 151.21, 10, 'en'],
  ['Wellington', -41.29, 174.78, 12, 'en'],
  ['Lagos', 6.52, 3.38, 1, 'en'],
  ['Nairobi', -1.29, 36.82, 3, 'en'],
  ['Bengaluru', 12.97, 77.59, 5, 'en'],
  ['Singapore', 1.35, 103.82, 8, 'en'],
  ['Cape Town', -33.92, 18.42, 2, 'en'],
  ['Amsterdam', 52.37, 4.9, 1, 'en'],
  ['Stockholm', 59.33, 18.07, 1, 'en'],
  ['Madrid', 40.42, -3.7, 1, 'es'],
  ['Valencia', 39.47, -0.38, 1, 'es'],
  ['Mexico City', 19.43, -99.13, -6, 'es'],
  ['Buenos Aires', -34.6, -58.38, -3, 'es'],
  ['Bogotá', 4.71, -74.07, -5, 'es'],
  ['Montevideo', -34.9, -56.16, -3, 'es'],
  ['Lisboa', 38.72, -9.14, 0, 'pt'],
  ['São Paulo', -23.55, -46.63, -3, 'pt'],
  ['Recife', -8.05, -34.88, -3, 'pt'],
  ['Paris', 48.86, 2.35, 1, 'fr'],
  ['Lyon', 45.76, 4.84, 1, 'fr'],
  ['Montréal', 45.5, -73.57, -5, 'fr'],
  ['Dakar', 14.69, -17.45, 0, 'fr'],
  ['Berlin', 52.52, 13.4, 1, 'de'],
  ['Leipzig', 51.34, 12.37, 1, 'de'],
  ['Wien', 48.21, 16.37, 1, 'de'],
  ['Zürich', 47.38, 8.54, 1, 'de'],
  ['東京', 35.68, 139.69, 9, 'ja'],
  ['京都', 35.01, 135.77, 9, 'ja'],
  ['札幌', 43.06, 141.35, 9, 'ja'],
  ['İstanbul', 41.01, 28.98, 3, 'tr'],
  ['İzmir', 38.42, 27.14, 3, 'tr'],
]

export const places: readonly Place[] = rows.map(([city, latitude, longitude, utcOffsetHours, language]) => ({
  city,
  latitude,
  longitude,
  utcOffsetHours,
  language,
}))
