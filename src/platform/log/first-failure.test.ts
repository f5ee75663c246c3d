import { expect, it } from 'vitest'
import { reportFirstFailure } from './first-failure.js'

it('of failures in a row only the first is reported, and one after a success again', async () => {
  const outcomes = ['a', 'b', null, 'c', 'd', null, null, 'e']
  const reported: unknown[] = []
  const run = reportFirstFailure(
    async () => {
      const failure = outcomes.shift()
      if (failure) throw failure
    },
    (error) => reported.push(error),
  )
  while (outcomes.length > 0) await run()
  expect(reported).toEqual(['a', 'c', 'e'])
})
