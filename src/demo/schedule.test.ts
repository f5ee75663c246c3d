import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Schedule } from './schedule.js'

it('returns entries by time, and in insertion order within a second', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), (times) => {
      const schedule = new Schedule<number>()
      for (const [index, at] of times.entries()) schedule.add(at, index)
      const taken = []
      for (let next = schedule.take(); next; next = schedule.take()) taken.push(next)
      const expected = times.map((at, what) => ({ at, what })).sort((a, b) => a.at - b.at)
      expect(taken).toEqual(expected)
      expect(schedule.nextAt).toBe(Number.POSITIVE_INFINITY)
    }),
  )
})
