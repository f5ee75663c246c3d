import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { citiesTable } from '../../../scripts/cities-table.mjs'
import { cellOf, cellsWithin } from './cells.js'
import { CityIndex, locationOf } from './cities.js'
import { distanceKm } from './distance.js'

describe('places', () => {
  test('are the city of the coordinates', () => {
    expect(locationOf(46.95, 7.45)).toMatchObject({
      city: 'Bern',
      country: 'Switzerland',
      country_code: 'CH',
    })
    expect(locationOf(34.05, -118.24)).toMatchObject({
      city: 'Los Angeles',
      country: 'United States',
      country_code: 'US',
      state: 'California',
      state_code: 'CA',
    })
    expect(locationOf(52.52, 13.4)).toMatchObject({ city: 'Berlin' })
    expect(locationOf(40.71, -74.01)).toMatchObject({
      city: 'New York City',
      state: 'New York',
      state_code: 'NY',
    })
    expect(locationOf(52.52, 13.4)).not.toHaveProperty('state')
    expect(locationOf(-36.85, 174.76)).toMatchObject({ city: 'Auckland', country: 'New Zealand' })
  })

  test('are null in the ocean and at the poles', () => {
    expect(locationOf(0, -30)).toBeNull()
    expect(locationOf(90, 0)).toBeNull()
    expect(locationOf(-90, 180)).toBeNull()
  })

  test('are found across the date line; of two cities the larger wins', () => {
    const line = (longitude: number, ...cities: [name: string, population: number][]) =>
      [
        cellOf(-16.8, longitude),
        ...cities.map(([name, population]) => [name, 'FJ', '', population, -16.8, longitude].join('|')),
      ].join('\t')
    const index = new CityIndex(
      `${line(179.9, ['West', 10], ['Large', 20])}\n${line(-179.7, ['East', 10])}\n`,
    )
    expect(index.nearest(-16.8, -179.95)?.name).toBe('Large')
    expect(index.nearest(-16.8, 180)?.name).toBe('Large')
    expect(index.nearest(-16.8, 179.0)).toBeNull()
  })
})

test('the table is that of the package; `npm run cities` writes it', () => {
  const table = readFileSync('src/platform/geo/cities.tsv', 'utf8')
  expect(table === citiesTable()).toBe(true)
  for (const line of table.trimEnd().split('\n')) {
    const [cell, city = ''] = line.split('\t')
    const [latitude, longitude] = city.split('|').slice(-2).map(Number)
    expect(cellOf(latitude!, longitude!)).toBe(Number(cell))
  }
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

  test('cover every point of the circle, also of one that is as large as the earth', () => {
    const radius = fc.double({ min: 0, max: 20_100, noNaN: true })
    fc.assert(
      fc.property(latitude, longitude, latitude, longitude, radius, (lat, long, otherLat, otherLong, km) => {
        fc.pre(distanceKm(lat, long, otherLat, otherLong) <= km)
        expect(cellsWithin(lat, long, km)).toContain(cellOf(otherLat, otherLong))
      }),
      { numRuns: 1_000 },
    )
    const [stockholm, anchorage] = [
      [59.33, 18.07],
      [61.22, -149.9],
    ] as const
    expect(cellsWithin(...stockholm, 7_000)).toContain(cellOf(...anchorage))
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
