import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { unixMsFromFarcasterSeconds } from '../../protocol/time.js'
import { parseChannelDocument } from './channel-document.js'
import { searchChannels } from './channel-lists.js'
import { importChannel } from './channels.js'
import { createDailyActivityJob, refreshDailyActivity, windowActivity } from './daily-activity.js'
import { listChannelMemberships } from './membership-lists.js'

const { db } = await createTestDatabase()

test('the activity of any window is the sum of its hours, whichever days are copied', async () => {
  const activity = fc.record({
    hour: fc.integer({ min: 800, max: 1_700 }),
    casts: fc.integer({ min: 1, max: 9 }),
  })
  const windows = fc.array(fc.tuple(fc.integer({ min: 700, max: 1_700 }), fc.nat(800)), {
    minLength: 8,
    maxLength: 8,
  })
  const rows = fc.uniqueArray(activity, { minLength: 40, maxLength: 60, selector: ({ hour }) => hour })
  await fc.assert(
    fc.asyncProperty(rows, windows, fc.integer({ min: 60, max: 72 }), async (all, some, today) => {
      await db`truncate social.url_activity, channels.daily_activity, channels.daily_activity_range`
      await db`insert into social.url_activity ${db(all.map((row) => ({ ...row, url: 'a url' })))}`
      await refreshDailyActivity(db, today * 86_400)
      for (const [start, length] of [
        ...some,
        [today * 24 - 48, 24],
        [today * 24 - 49, 24],
        [today * 24 - 73, 24],
      ] as const) {
        const end = start + length
        const [sum] = await db<{ casts: number }[]>`
          select coalesce(sum(casts), 0)::integer as casts from (${windowActivity(db, { start, end })}) activity`
        const inWindow = all.filter(({ hour }) => hour > start && hour <= end)
        expect(sum!.casts).toBe(inWindow.reduce((total, { casts }) => total + casts, 0))
      }
    }),
    { numRuns: 8 },
  )
})

test('a search finds a part of an id or name; what begins with it comes first', async () => {
  const channels = {
    rose: 'Flowers',
    'old-rose': 'Shrubs',
    garden: 'The Roses',
    tulip: 'ROSE-like',
    oak: 'Trees',
  }
  for (const [id, name] of Object.entries(channels)) {
    const follower_count = id === 'garden' ? 50 : 5
    expect(await importChannel(db, { id, name, lead_fid: 1, follower_count }, 1)).toBeNull()
  }
  const found = await searchChannels(db, 'Rose', 10, undefined as never)
  expect(found.map(({ id }) => id).sort()).toEqual(['garden', 'old-rose', 'rose', 'tulip'])
  expect(
    found
      .map(({ id }) => id)
      .slice(0, 2)
      .sort(),
  ).toEqual(['rose', 'tulip'])
  expect(found[2]!.id).toBe('garden')
  expect(await searchChannels(db, '_ose', 10, undefined as never)).toEqual([])
})

test('the people of a channel are listed by their role', async () => {
  const people = [
    { fid: 4, role: 'member', member_since: 20 },
    { fid: 3, role: 'moderator', member_since: 30 },
    { fid: 5, role: 'member', member_since: 10 },
  ]
  expect(await importChannel(db, { id: 'people', lead_fid: 2, members: people }, 1)).toBeNull()
  await db`insert into channels.bans (channel_id, fid) values ('people', 9)`
  expect(await listChannelMemberships(db, 'people')).toEqual([
    { fid: 2, membership: 'owner' },
    { fid: 3, membership: 'moderator' },
    { fid: 5, membership: 'member' },
    { fid: 4, membership: 'member' },
    { fid: 9, membership: 'banned' },
  ])
  expect(await listChannelMemberships(db, 'nowhere')).toEqual([])
})

test('a document that is no channel is refused by the name of its first fault', () => {
  const problemOf = (document: unknown) => (parseChannelDocument(document) as { problem?: string }).problem
  expect(problemOf({ id: 'garden', lead_fid: 1 })).toBeUndefined()
  expect(problemOf('garden')).toMatch(/^the line: /)
  expect(problemOf({ id: 'garden', lead_fid: 0 })).toMatch(/^lead_fid: /)
  expect(problemOf({ id: 'Garden' })).toMatch(/^id: /)
  expect(problemOf({ id: 'garden', members: [{ fid: 1, role: 'king', member_since: 1 }] })).toMatch(
    /^members\/0/,
  )
  expect(problemOf({ id: 'garden', flower: 1 })).toMatch(/^flower: /)
  expect(problemOf({ id: 'garden', description_mentions: [1] })).toMatch(/must match/)
  const both = { description_mentions: [1], description_mention_positions: [0] }
  expect(problemOf({ id: 'garden', ...both })).toBeUndefined()
  expect(problemOf({ id: 'garden', ...both, description_mention_positions: [3_000_000_000] })).toMatch(
    /^description_mention_positions\/0: /,
  )
})

test('a description without mentions ends those of the one before, and no description keeps them', async () => {
  const mentions = () =>
    db`select description, description_mentions as fids, description_mention_positions as positions
      from channels.channels where id = 'mentions'`
  const described = { description: 'by ', description_mentions: [7], description_mention_positions: [3] }
  expect(await importChannel(db, { id: 'mentions', lead_fid: 1, ...described }, 1)).toBeNull()
  expect(await importChannel(db, { id: 'mentions', name: 'Other' }, 1)).toBeNull()
  expect(await mentions()).toEqual([{ description: 'by ', fids: [7], positions: [3] }])
  expect(await importChannel(db, { id: 'mentions', description: 'by nobody' }, 1)).toBeNull()
  expect(await mentions()).toEqual([{ description: 'by nobody', fids: [], positions: [] }])
})

test('a channel has at most 100 URLs beside the two forms of its own', async () => {
  const urls = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `https://example.com/${from + index}`)
  const add = (from: number, count: number) =>
    importChannel(db, { id: 'many-urls', lead_fid: 1, parent_urls: urls(from, count) }, 1)
  for (const from of [0, 20, 40, 60]) expect(await add(from, 20)).toBeNull()
  expect(await add(80, 20)).toBeNull()
  expect(await add(100, 1)).toBe('a channel has at most 100 parent URLs')
  expect(await add(0, 20)).toBeNull()
})

test('a new channel needs a lead and an id that is free', async () => {
  expect(await importChannel(db, { id: 'no-lead' }, 1)).toBe('lead_fid is required for a new channel')
  expect(await importChannel(db, { id: 'no-lead' }, 1, { mode: 'edit' })).toBe('there is no channel no-lead')
  const taken = () => importChannel(db, { id: 'taken', lead_fid: 1 }, 1, { mode: 'create' })
  expect(await taken()).toBeNull()
  expect(await taken()).toBe('there is a channel taken already')
})

test('the scheduled job copies the activity of the days before yesterday', async () => {
  await db`truncate social.url_activity, channels.daily_activity, channels.daily_activity_range`
  const hours = [68 * 24, 68 * 24 + 23, 69 * 24]
  await db`insert into social.url_activity ${db(hours.map((hour) => ({ hour, url: 'a url', casts: 2 })))}`
  const job = createDailyActivityJob(db, () => unixMsFromFarcasterSeconds(70 * 86_400))
  expect(job).toMatchObject({ name: 'channel activity', everyMs: 600_000 })
  await job.run()
  expect(await db`select day, url, casts from channels.daily_activity`).toEqual([
    { day: 68, url: 'a url', casts: 4 },
  ])
})
