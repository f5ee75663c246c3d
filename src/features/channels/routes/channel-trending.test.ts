import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../../test/database.js'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { createTestApi } from '../../../app/testing/test-api.js'
import { Hydrator } from '../../../graph/cache/hydrator.js'

const statements: string[] = []
const { db, connect } = await createTestDatabase()
const countedDb = connect({ onStatement: (sql) => statements.push(sql) })
let nowMs = testNowUnix * 1000
const clock = () => nowMs
const hydrator = new Hydrator({ db: countedDb, clock, placeOf: () => null, maxEntries: 100 })
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
