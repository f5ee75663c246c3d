import { expect, it } from 'vitest'
import { parseTime } from './parse-time.js'

it.each([
  ['2026-10-01T00:00:00Z', '2026-10-01T00:00:00.000Z'],
  ['2026-10-01T02:00:00.5+02:00', '2026-10-01T00:00:00.500Z'],
  ['2026-10-01', '2026-10-01T00:00:00.000Z'],
])('%s is read', (text, expected) => {
  expect(parseTime('start', text).toISOString()).toBe(expected)
})

it.each([
  '2026-10-01T00:00:00',
  '5',
  'yesterday',
  '2026-13-01T00:00:00Z',
  '2026-02-30',
  '0000-12-31T23:00:00Z',
  '',
])('%j is refused: it is no time, or one of another zone in another process', (text) => {
  expect(() => parseTime('start', text)).toThrow('start must be a time like 2026-11-01T00:00:00Z')
})
