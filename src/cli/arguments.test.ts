import { expect, it } from 'vitest'
import { moment } from './arguments.js'

it('moment: a date is its start in UTC', () => {
  expect(moment('2026-01-31')).toBe(Date.UTC(2026, 0, 31) / 1000)
})

it.each(['2026-02-30', '2026-13-01', 'today'])('moment: %s -> an error that shows a date', (text) => {
  expect(() => moment(text)).toThrow('It must be a date such as 2026-01-31.')
})
