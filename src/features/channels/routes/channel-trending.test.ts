import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { refreshDailyActivity } from '../daily-activity.js'
import { trendingChannels } from '../queries.js'

const statements: string[] = []
const { db, connect } = await createTestDatabase()
const countedDb = connect({ onStatement: (sql) => statements.push(sql) })
let nowMs = testNowUnix * 1000
const clock = () => nowMs
const hydrator = new Hydrator({ db: countedDb, clock, locationOf: () => null, maxEntries: 100 })
const { get } = await createTestApi({ db: countedDb, clock, hydrator })

const hour = Math.floor(testNow / 3600)
const activityStatements = () => statements.filter((sql) => sql.includes('social.url_activity')).length

async function count(query: Record<string, string>): Promise<string> {
  return (await get('channel/trending', query)).json().channels[0].cast_count_30d
}

it('concurrent readers -> one read in half a minute', async () => {
  await db`insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
    values ('art', 'https://c.example/art', 'https://c.example/art', 'Art', 1, 0)`
  await db`insert into channels.urls values ('https://c.example/art', 'art')`
  await db`insert into social.url_activity values ('https://c.example/art', ${hour}, 2)`
  expect([await count({}), await count({}), await count({ time_window: '1d' })]).toEqual(['2', '2', '2'])
  expect(activityStatements()).toBe(1)
  expect(await count({ time_window: '30d' })).toBe('2')
  expect(activityStatements()).toBe(2)
  await db`insert into social.url_activity values ('https://c.example/art', ${hour - 100}, 3)`
  nowMs += 31_000
  expect(await count({})).toBe('5')
})

it('days that are copied and hours around them -> the sum of all hours', async () => {
  const copiedHour = fc.integer({ min: -40, max: 40 })
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 0, max: 740 }), { minLength: 1, maxLength: 60 }),
      fc.option(copiedHour),
      fc.constantFrom('1d', '7d', '30d'),
      async (hoursAgo, copied, window) => {
        await db`truncate social.url_activity, channels.daily_activity, channels.daily_activity_range`
        await db`
          insert into social.url_activity
          select 'https://c.example/art', ${hour}::integer - ago, 1 + ago % 3
          from unnest(${hoursAgo}::integer[]) ago`
        if (copied !== null) await refreshDailyActivity(db, testNow + copied * 3600)
        const hours = { '1d': 24, '7d': 168, '30d': 720 }[window]
        const expected = hoursAgo.filter((ago) => ago < hours).reduce((sum, ago) => sum + 1 + (ago % 3), 0)
        const found = await trendingChannels(db, window, 2, null, testNow)
        expect(found.map(({ rank }) => Number(rank))).toEqual(expected === 0 ? [] : [expected])
      },
    ),
    { numRuns: 40 },
  )
})

it('casts of a past day arrive late -> the next copy counts them', async () => {
  await db`truncate social.url_activity`
  await refreshDailyActivity(db, testNow)
  await db`insert into social.url_activity values ('https://c.example/art', ${hour - 100}, 3)`
  expect(await trendingChannels(db, '30d', 2, null, testNow)).toEqual([])
  await Promise.all([1, 2].map(() => refreshDailyActivity(db, testNow)))
  expect(await trendingChannels(db, '30d', 2, null, testNow)).toMatchObject([{ id: 'art', rank: 3 }])
})
