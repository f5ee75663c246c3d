import { expect, it } from 'vitest'
import { parseIsoTime } from './parse-iso-time.js'

it.each([
  ['2026-11-01', '2026-11-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-11-01T00:00:00+02:00', '2026-10-31T22:00:00.000Z'],
  ['0001-01-01T00:30:00+01:00', '0000-12-31T23:30:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(new Date(parseIsoTime(text)!).toISOString()).toBe(expected)
})

it.each(['2026-02-30', '2026-02-29', '2026-04-31T12:00:00Z', '2026-13-01', '2026-11-01T25:00:00Z', 'x', ''])(
  '%j is no time',
  (text) => {
    expect(parseIsoTime(text)).toBeNull()
  },
)
