import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { cellsWithin } from './cells.js'
import { distanceKm } from './distance.js'

/** The city at or near coordinates, in the shape of the API's LocationAddress. */
export interface CityLocation {
  city: string
  country: string
  /** ISO 3166-1, two letters. */
  country_code: string
  /** Name of the first level below the country; known only of the United States. */
  state?: string
  /** Code of the state, if it consists of letters: `CA`. */
  state_code?: string
}

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

/** Finds cities by coordinates. A cell is parsed when it is looked at: the whole table takes 0.4 s. */
export class CityIndex {
  readonly #byCell = new Map<number, string>()

  /** `table`: a line for each cell, with its number and its cities behind tabs, as `scripts/cities-table.mjs` writes it. */
  constructor(table: string) {
    for (const line of table.split('\n')) {
      const end = line.indexOf('\t')
      if (end > 0) this.#byCell.set(Number(line.slice(0, end)), line.slice(end + 1))
    }
  }

  /** Returns the nearest city within 50 km; of two at the same coordinates, the larger one. */
  nearest(latitude: number, longitude: number): LocatedCity | null {
    let best: LocatedCity | null = null
    let bestKm = MAX_KM
    for (const cell of cellsWithin(latitude, longitude, MAX_KM)) {
      for (const city of citiesOf(this.#byCell.get(cell))) {
        const km = distanceKm(latitude, longitude, city.latitude, city.longitude)
        const isNearer = km < bestKm || (km === bestKm && city.population > (best?.population ?? 0))
        if (isNearer) [best, bestKm] = [city, km]
      }
    }
    return best
  }
}

function citiesOf(line: string | undefined): LocatedCity[] {
  return (line?.split('\t') ?? []).map((city) => {
    const [name = '', countryCode = '', stateCode = '', population, latitude, longitude] = city.split('|')
    return {
      ...{ name, countryCode, stateCode },
      population: Number(population),
      latitude: Number(latitude),
      longitude: Number(longitude),
    }
  })
}

let index: CityIndex | undefined
let countryNames: Intl.DisplayNames | undefined

/**
 * Returns the nearest city with more than 1,000 inhabitants (GeoNames) within 50 km, or null. Profiles are precise to
 * about a kilometer. The first use reads the table.
 */
export function locationOf(latitude: number, longitude: number): CityLocation | null {
  index ??= new CityIndex(readFileSync(new URL('./cities.tsv', import.meta.url), 'utf8'))
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
