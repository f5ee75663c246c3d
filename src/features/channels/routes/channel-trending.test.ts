import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'
import { trendingChannels } from '../channel-lists.js'
import { refreshDailyActivity } from '../daily-activity.js'

const statements: string[] = []
const { db, connect } = await createTestDatabase()
const countedDb = connect({ onStatement: (sql) => statements.push(sql) })
let nowMs = testNowUnix * 1000
const clock = () => nowMs
const hydrator = new Hydrator({ db: countedDb, clock, locationOf: () => null, maxViews: 100 })
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
  // The ranking, and the counts of its first page.
  expect(activityStatements()).toBe(2)
  expect(await count({ time_window: '30d' })).toBe('2')
  expect(activityStatements()).toBe(4)
  await db`insert into social.url_activity values ('https://c.example/art', ${hour - 100}, 3)`
  nowMs += 31_000
  await expect.poll(() => count({})).toBe('5')
})

it('activity between two pages -> the ranking of the first goes on while it is cached, for a minute', async () => {
  nowMs += 120_000
  const names = ['a', 'b', 'c', 'd']
  for (const [index, name] of names.entries()) {
    const url = `https://c.example/${name}`
    await db`insert into channels.channels (id, url, parent_url, name, lead_fid, created_at)
      values (${name}, ${url}, ${url}, ${name}, 1, 0)`
    await db`insert into channels.urls values (${url}, ${name})`
    await db`insert into social.url_activity values (${url}, ${hour}, ${50 - 10 * index})`
  }
  const page = async (query: Record<string, string>) => {
    const { channels, next } = (await get('channel/trending', { time_window: '7d', ...query })).json()
    return { ids: channels.map((each: { channel: { id: string } }) => each.channel.id), cursor: next.cursor }
  }
  const first = await page({ limit: '2' })
  expect(first.ids).toEqual(['a', 'b'])
  await db`update social.url_activity set casts = 100 where url = 'https://c.example/d'`
  await db`update social.url_activity set casts = 5 where url = 'https://c.example/a'`
  nowMs += 20_000
  expect((await page({ limit: '2', cursor: first.cursor })).ids).toEqual(['c', 'd'])
  nowMs += 60_000
  // It is not cached any more: `d` has risen above the cursor, and `a` has fallen below it.
  expect((await page({ limit: '2', cursor: first.cursor })).ids).toEqual(['c', 'a'])
  const old = Buffer.from(JSON.stringify(['channels by activity', testNow - 3_601, 9, 'a'])).toString(
    'base64url',
  )
  const reply = await get('channel/trending', { cursor: old })
  expect(reply.json()).toMatchObject({ status: 400, property: 'cursor' })
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
        const found = await trendingChannels(db, window, testNow)
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
  expect(await trendingChannels(db, '30d', testNow)).toEqual([])
  await Promise.all([1, 2].map(() => refreshDailyActivity(db, testNow)))
  expect(await trendingChannels(db, '30d', testNow)).toMatchObject([{ id: 'art', rank: 3 }])
})
