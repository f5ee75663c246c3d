import { expect, test } from 'vitest'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { HubEventType } from '../../../protocol/definitions.js'
import { createCastNetwork, userOf } from '../../casts/routes/testing/cast-network.js'
import { trendingRanking } from './ranked-feeds.js'

const { db, merge } = await createCastNetwork(3)
const [alice, bob, carol] = [userOf(1), userOf(2), userOf(3)]
const day = { seconds: 86_400 }

test('is computed every 30 seconds, and its pages keep to it', async () => {
  // Begins with a moment, so that 29 seconds later it is still the same.
  const start = testNow - (testNow % 30)
  let now = start
  const clock = () => (testNowUnix - testNow + now) * 1000
  const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 100 })
  const ranking = (ts: number | null = null) => trendingRanking({ hydrator, clock }, day, ts)
  const [first, second] = [alice.cast('first', start - 100), bob.cast('second', start - 100)]
  await merge(first, second, carol.react(first, start - 50))
  const before = await ranking()
  expect([before.ts, before.casts.length]).toEqual([start, 1])

  await merge(carol.react(second, start - 40))
  // It shows no links: a user who writes them as a whole list does not end it.
  const message = alice.compactLinks([2], start - 30)
  const body = { type: HubEventType.MERGE_MESSAGE as const, message, deletedMessages: [] }
  hydrator.invalidation.applyEvents([{ body }])
  now = start + 29
  expect(await ranking()).toEqual(before)

  now = start + 30
  expect(await ranking()).toEqual(before)
  await expect.poll(() => ranking()).toMatchObject({ ts: start + 30, casts: { length: 2 } })
  expect(await ranking(before.ts)).toEqual(before)
})

test('a time is refused that no cursor of the last hour has', async () => {
  const clock = () => testNowUnix * 1000
  const hydrator = new Hydrator({ db, clock, locationOf: () => null, maxViews: 100 })
  const ranking = (ts: number) => trendingRanking({ hydrator, clock }, day, ts)
  for (const ts of [0, testNow - 3_601, testNow + 31, testNow + 86_400]) {
    await expect(ranking(ts)).rejects.toMatchObject({ property: 'cursor' })
  }
  for (const ts of [testNow - 3_600, testNow, testNow + 30]) {
    expect((await ranking(ts)).ts).toBe(ts - (ts % 30))
  }
})
