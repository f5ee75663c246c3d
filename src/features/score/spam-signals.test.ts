import { expect, test } from 'vitest'
import {
  defaultSpamSignalWeights,
  type SpamSignalWeights,
  spamPenalty,
  spamSignalsOf,
} from './spam-signals.js'
import { graphOf } from './testing/endorsements.js'
import { emptyAccountFeatures } from './testing/planted-network.js'

const NOW_UNIX = 1_700_000_000
const DAY_SECONDS = 86_400

/** Signals of an old account with a profile and the given changes. */
function signs(
  change: Partial<Record<keyof ReturnType<typeof emptyAccountFeatures>, number>>,
  following = 0,
): SpamSignalWeights {
  const accounts = emptyAccountFeatures(1 + following)
  accounts.registeredAt[0] = NOW_UNIX - 400 * DAY_SECONDS
  accounts.profileParts[0] = 4
  for (const [fact, value] of Object.entries(change)) accounts[fact as keyof typeof accounts][0] = value
  const follows = Array.from({ length: following }, (_, other) => ({ from: 0, to: other + 1, likes: 0 }))
  return spamSignalsOf(0, graphOf(1 + following, follows), accounts, NOW_UNIX)
}

const none = { repetition: 0, links: 0, imbalance: 0, burst: 0, missingProfile: 0, newAccount: 0 }

test('spamSignalsOf: a normal account shows no signal', () => {
  const facts = { casts: 200, linkCasts: 20, wordyCasts: 100, differentWordyCasts: 99, peakFollows: 40 }
  expect(signs(facts, 50)).toEqual(none)
})

test('spamSignalsOf: clear behavior gives full signals', () => {
  expect(signs({ wordyCasts: 100, differentWordyCasts: 2 })).toEqual({ ...none, repetition: 1 })
  expect(signs({ casts: 100, linkCasts: 95 })).toEqual({ ...none, links: 1 })
  expect(signs({}, 1000)).toEqual({ ...none, imbalance: 1 })
  expect(signs({ peakFollows: 700 })).toEqual({ ...none, burst: 1 })
  expect(signs({ profileParts: 0 })).toEqual({ ...none, missingProfile: 1 })
  expect(signs({ registeredAt: NOW_UNIX })).toEqual({ ...none, newAccount: 1 })
})

test('spamSignalsOf: grow with the behavior, between 0 and 1', () => {
  const peaks = [0, 60, 100, 300, 600, 100_000].map((peakFollows) => signs({ peakFollows }).burst)
  expect(peaks).toEqual([...peaks].sort((a, b) => a - b))
  expect(Math.min(...peaks)).toBe(0)
  expect(Math.max(...peaks)).toBe(1)
  const ages = [0, 10, 20, 30].map(
    (days) => signs({ registeredAt: NOW_UNIX - days * DAY_SECONDS }).newAccount,
  )
  expect(ages).toEqual([1, expect.closeTo(2 / 3), expect.closeTo(1 / 3), 0])
})

test('spamSignalsOf: two casts prove nothing', () => {
  expect(signs({ casts: 2, linkCasts: 2, wordyCasts: 2, differentWordyCasts: 1 }).repetition).toBeLessThan(
    0.1,
  )
  expect(signs({ casts: 2, linkCasts: 2 }).links).toBe(0)
})

test('spamPenalty: is the weighted sum', () => {
  const all = { repetition: 1, links: 1, imbalance: 1, burst: 1, missingProfile: 1, newAccount: 1 }
  const sum = Object.values(defaultSpamSignalWeights).reduce((total, weight) => total + weight, 0)
  expect(spamPenalty(all, defaultSpamSignalWeights)).toBeCloseTo(sum)
  expect(spamPenalty(none, defaultSpamSignalWeights)).toBe(0)
  expect(spamPenalty({ ...none, burst: 0.5 }, defaultSpamSignalWeights)).toBe(
    defaultSpamSignalWeights.burst / 2,
  )
})
