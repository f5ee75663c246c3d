import { expect, it, onTestFinished } from 'vitest'
import { moment } from './arguments.js'

it('moment: a date is its start in UTC', () => {
  expect(moment('2026-01-31')).toBe(Date.UTC(2026, 0, 31) / 1000)
})

it.each([
  ['2026-01-31T10:00', Date.UTC(2026, 0, 31, 10)],
  ['2026-01-31 10:00:30', Date.UTC(2026, 0, 31, 10, 0, 30)],
  ['2026-01-31T10:00+02:00', Date.UTC(2026, 0, 31, 8)],
])('moment: %s is a time in UTC unless it has a zone', (text, expected) => {
  const zone = process.env.TZ
  onTestFinished(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  process.env.TZ = 'Asia/Tokyo'
  expect(moment(text)).toBe(expected / 1000)
})

it.each(['2026-02-30', '2026-13-01', 'today'])('moment: %s -> an error that shows a date', (text) => {
  expect(() => moment(text)).toThrow('It must be a date such as 2026-01-31.')
})
