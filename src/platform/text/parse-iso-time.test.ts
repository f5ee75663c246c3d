import { expect, it, onTestFinished } from 'vitest'
import { parseIsoTime, parseStorableTime } from './parse-iso-time.js'

it.each([
  ['2026-11-01', '2026-11-01T00:00:00.000Z'],
  ['2028-02-29', '2028-02-29T00:00:00.000Z'],
  ['2026-11-01T00:00:00+02:00', '2026-10-31T22:00:00.000Z'],
  ['0001-01-01T00:30:00+01:00', '0000-12-31T23:30:00.000Z'],
  ['2026-11-01 10:00:00.123456+00', '2026-11-01T10:00:00.123Z'],
  ['2026-11-01t10:00-0530', '2026-11-01T15:30:00.000Z'],
])('%s is %s', (text, expected) => {
  expect(new Date(parseIsoTime(text)!).toISOString()).toBe(expected)
})

it.each([
  ...['2026-02-30', '2026-02-29', '2026-04-31T12:00:00Z', '2026-13-01', '2026-11-01T25:00:00Z', 'x', ''],
  ...[
    '5',
    '2026-11-01 (noon)',
    '2026-11-01T10:00 UTC',
    '2026-11',
    '+002026-11-01',
    ' 2026-11-01',
    '2026-11-01T10Z',
  ],
])('%j is no time', (text) => {
  expect(parseIsoTime(text)).toBeNull()
})

it('without a zone a time is UTC, whatever the zone of the process', () => {
  const zone = process.env.TZ
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  process.env.TZ = 'America/New_York'
  expect(parseIsoTime('2026-11-01T10:00')).toBe(Date.UTC(2026, 10, 1, 10))
  expect(parseIsoTime('2026-11-01 10:00:30')).toBe(Date.UTC(2026, 10, 1, 10, 0, 30))
})

it.each([
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01T00:30:00+01:00', undefined],
  ['9999-12-31T23:59:59-05:00', undefined],
  ['0000-01-01', undefined],
  ['2026-02-30', undefined],
])('the storable time of %s is %s', (text, expected) => {
  expect(parseStorableTime(text)?.toISOString()).toBe(expected)
})
