import { cellOf, cellsWithin } from './cells.js'
import { distanceKm } from './distance.js'

/** A city with the coordinates of its center in degrees. */
export interface LocatedCity {
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
