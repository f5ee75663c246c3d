import { expect, it } from 'vitest'
import { reportFirstFailure } from './first-failure.js'

it('of failures in a row only the first and their end are reported, and those after a success again', async () => {
  const outcomes = ['a', 'b', null, 'c', 'd', null, null, 'e']
  const reported: unknown[] = []
  const run = reportFirstFailure(
    async () => {
      const failure = outcomes.shift()
      if (failure) throw failure
    },
    (error) => reported.push(error),
    () => reported.push('end'),
  )
  const succeeded: boolean[] = []
  while (outcomes.length > 0) succeeded.push(await run())
  expect(reported).toEqual(['a', 'end', 'c', 'end', 'e'])
  expect(succeeded).toEqual([false, false, true, false, false, true, true, false])
})
