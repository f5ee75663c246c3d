import { expect, test } from 'vitest'
import type { Log } from '../log/log.js'
import { ClockWatch } from './clock-watch.js'

function createWatch() {
  const lines: string[] = []
  const note = (level: string) => (_fields: object, text: string) => void lines.push(`${level}: ${text}`)
  return { lines, watch: new ClockWatch({ info: note('info'), warn: note('warn') } as unknown as Log) }
}

const minute = 60_000

test('a clock that differs by more than a minute: one warning that says what to do, and one line when it is over', () => {
  const { lines, watch } = createWatch()
  watch.note(minute, 0, 5)
  expect(lines).toEqual([])
  watch.note(90 * minute, 10 * minute, 10 * minute)
  watch.note(90 * minute, 10 * minute, 10 * minute)
  expect(lines).toEqual([expect.stringMatching(/^warn: .*4800 s behind that of the database.*NTP/)])
  // Around the limit nothing is said.
  watch.note(90 * minute, 89 * minute, 89 * minute)
  watch.note(90 * minute, 90 * minute, 90 * minute)
  expect(lines.slice(1)).toEqual([expect.stringMatching(/^info: .*agree again/)])
  watch.note(0, 2 * minute, 2 * minute)
  expect(lines.slice(2)).toEqual([expect.stringMatching(/^warn: .*120 s ahead of that of the database/)])
})

test('an answer that took minutes is no difference of the clocks', () => {
  const { lines, watch } = createWatch()
  watch.note(0, 0, 10 * minute)
  watch.note(10 * minute, 0, 10 * minute)
  expect(lines).toEqual([])
})
