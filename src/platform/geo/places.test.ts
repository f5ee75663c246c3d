import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cellOf, cellsWithin } from './cells.js'
import { distanceKm } from './distance.js'
import { CityIndex, placeOf } from './places.js'

describe('places', () => {
  test('are the city of the coordinates', () => {
    expect(placeOf(46.95, 7.45)).toMatchObject({ city: 'Bern', country: 'Switzerland', country_code: 'CH' })
    expect(placeOf(34.05, -118.24)).toMatchObject({
      city: 'Los Angeles',
      country: 'United States',
      country_code: 'US',
      state: 'California',
      state_code: 'CA',
    })
    expect(placeOf(52.52, 13.4)).toMatchObject({ city: 'Berlin' })
    expect(placeOf(40.71, -74.01)).toMatchObject({
      city: 'New York City',
      state: 'New York',
      state_code: 'NY',
    })
    expect(placeOf(52.52, 13.4)).not.toHaveProperty('state')
    expect(placeOf(-36.85, 174.76)).toMatchObject({ city: 'Auckland', country: 'New Zealand' })
  })

  test('are null in the ocean and at the poles', () => {
    expect(placeOf(0, -30)).toBeNull()
    expect(placeOf(90, 0)).toBeNull()
    expect(placeOf(-90, 180)).toBeNull()
  })

  test('are found across the date line; of two cities the larger wins', () => {
    const city = (name: string, longitude: number, population: number) => ({
      ...{ name, longitude, population, latitude: -16.8, countryCode: 'FJ', stateCode: '' },
    })
    const index = new CityIndex([city('West', 179.9, 10), city('East', -179.7, 10), city('Large', 179.9, 20)])
    expect(index.nearest(-16.8, -179.95)?.name).toBe('Large')
    expect(index.nearest(-16.8, 180)?.name).toBe('Large')
    expect(index.nearest(-16.8, 179.0)).toBeNull()
  })
})

describe('cells', () => {
  const latitude = fc.double({ min: -90, max: 90, noNaN: true })
  const longitude = fc.double({ min: -180, max: 180, noNaN: true })

  test('cover every point within the distance', () => {
    const offset = fc.double({ min: -1.5, max: 1.5, noNaN: true })
    fc.assert(
      fc.property(latitude, longitude, offset, offset, (lat, long, north, east) => {
        const otherLat = Math.max(-90, Math.min(90, lat + north))
        const otherLong = ((long + east + 540) % 360) - 180
        fc.pre(distanceKm(lat, long, otherLat, otherLong) <= 100)
        expect(cellsWithin(lat, long, 100)).toContain(cellOf(otherLat, otherLong))
      }),
      { numRuns: 2_000 },
    )
  })

  test('are at most 36 away from the poles, each once', () => {
    fc.assert(
      fc.property(fc.double({ min: -80, max: 80, noNaN: true }), longitude, (lat, long) => {
        const cells = cellsWithin(lat, long, 100)
        expect(new Set(cells).size).toBe(cells.length)
        expect(cells.length).toBeLessThanOrEqual(36)
      }),
    )
  })
})

test('distances follow a globe', () => {
  expect(distanceKm(52.52, 13.41, 48.86, 2.35)).toBeCloseTo(878, -1)
  expect(distanceKm(10, 20, 10, 20)).toBe(0)
  expect(distanceKm(0, 179.5, 0, -179.5)).toBeCloseTo(111.2, 0)
})
