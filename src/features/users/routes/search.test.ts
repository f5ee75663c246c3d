import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { nameTransfer, TestUser, testNow, testNowUnix } from '../../../../test/network.js'
import { createSearchJob, refreshSearchLists } from '../../../graph/refresh/search-prefix-lists.js'
import { UserDataType } from '../../../protocol/definitions.js'
import { openPeople } from './testing/user-network.js'

const { db, get, merge, countStatements } = await openPeople()

/** Username and display name, by fid from 1 on. */
const names: readonly (readonly [string | null, string | null])[] = [
  ['ann', 'Ann'],
  ['anna', 'Zoë'],
  ['annabel', null],
  ['annette', '🌱 Garden'],
  ['bob', 'Anna Bob'],
  ['vitalik', 'Vitalik B'],
  ['zed', 'Étienne'],
  [null, 'Anna Nameless'],
  ['hannah', null],
  ['ana-percent', '100%_sure'],
  ['rumi', 'Maximiliana Vega'],
  ['greek', 'ΟΔΟΣ'],
  ['turk', 'İZMİR'],
]
const people = names.map((_, index) => new TestUser(index + 1))

async function search(q: string, query: Record<string, string | number> = {}): Promise<number[]> {
  const reply = await get('user/search', { q, limit: 10, ...query })
  expect(reply.statusCode).toBe(200)
  return reply.json().result.users.map(({ fid }: { fid: number }) => fid)
}

async function pages(
  q: string,
  limit: number,
  query: Record<string, string | number> = {},
  between = async () => {},
): Promise<number[]> {
  const found: number[] = []
  for (let cursor: string | null = ''; ; ) {
    const reply = await get('user/search', { q, limit, ...query, ...(cursor ? { cursor } : {}) })
    const { users, next } = reply.json().result
    found.push(...users.map(({ fid }: { fid: number }) => fid))
    cursor = next.cursor as string | null
    if (cursor === null) return found
    await between()
  }
}

beforeAll(async () => {
  await merge({
    chainEvents: people.flatMap((each) => each.onChain({ units: 2 })),
    nameTransfers: names.flatMap(([name], index) =>
      name === null ? [] : [nameTransfer(name, index + 1, testNowUnix - 500)],
    ),
  })
  await merge({
    messages: names.flatMap(([name, displayName], index) => [
      ...(name === null ? [] : [people[index]!.userData(UserDataType.USERNAME, name, testNow)]),
      ...(displayName === null ? [] : [people[index]!.userData(UserDataType.DISPLAY, displayName, testNow)]),
    ]),
  })
  // Annabel is the best known, then Annette; whoever is named Anna alone is not known at all.
  await merge({
    messages: [
      ...[5, 6, 7].map((fid) => people[fid - 1]!.link(3, testNow)),
      ...[5, 6].map((fid) => people[fid - 1]!.link(4, testNow)),
    ],
  })
})

describe('user/search', () => {
  it('exact name first, then username prefixes by popularity', async () => {
    expect(await search('anna')).toEqual([2, 3, 5, 8, expect.any(Number)])
    expect((await search('ann')).slice(0, 4)).toEqual([1, 3, 4, 2])
    expect((await search('ANN')).slice(0, 4)).toEqual([1, 3, 4, 2])
    expect((await search(' @ann ')).slice(0, 4)).toEqual([1, 3, 4, 2])
  })

  it('then display name prefixes, then similar names', async () => {
    expect((await search('ann')).slice(4, 6).sort()).toEqual([5, 8])
    expect(await search('vitalkik')).toEqual([6])
    expect(await search('hanna')).toEqual([9])
  })

  it('finds display names in uppercase of any alphabet', async () => {
    expect(await search('ΟΔΟΣ')).toEqual([12])
    expect(await search('οδο')).toEqual([12])
    expect(await search('İZMİR')).toEqual([13])
    expect(await search('étienne')).toEqual([7])
    expect(await search('ÉTIENNE')).toEqual([7])
  })

  it('finds a display name by its second word, also while that is being typed', async () => {
    expect(await search('vega')).toEqual([11])
    expect(await search('Veg')).toEqual([11])
    expect(await search('vegetable')).toEqual([])
  })

  it('a higher score comes first', async () => {
    await db`update social.users set score = 1 where fid = 2`
    expect((await search('ann')).slice(0, 4)).toEqual([1, 2, 3, 4])
    await db`update social.users set score = null`
  })

  it('followed users come first, after the exact name', async () => {
    await merge({ messages: [people[9]!.link(2, testNow), people[9]!.link(8, testNow)] })
    expect((await search('ann', { viewer_fid: 10 })).slice(0, 6)).toEqual([1, 2, 3, 4, 8, 5])
    await merge({
      messages: [
        people[9]!.link(2, testNow + 1, { remove: true }),
        people[9]!.link(8, testNow + 1, { remove: true }),
      ],
    })
  })

  it('leaves out hidden users, and adds viewer_context', async () => {
    await db`insert into moderation.mutes (fid, target_fid, muted_at) values (10, 3, 0)`
    const reply = await get('user/search', { q: 'ann', viewer_fid: 10, limit: 2 })
    expect(reply.json().result.users).toMatchObject([
      { fid: 1, viewer_context: { following: false } },
      { fid: 4 },
    ])
    await db`delete from moderation.mutes`
  })

  it('accepts one letter, 200 letters, emoji and SQL wildcards', async () => {
    expect((await search('z')).sort()).toEqual([2, 7])
    expect(await search('a'.repeat(200))).toEqual([])
    expect(await search('🌱')).toEqual([4])
    expect(await search('🎈')).toEqual([])
    expect(await search('éti')).toEqual([7])
    expect(await search('ÉTIENNE')).toEqual([7])
    expect(await search('100%')).toEqual([10])
    expect(await search('%')).toEqual([])
    expect(await search('a_')).toEqual([])
    expect(await search("'; drop table social.users; --")).toEqual([])
    expect(await search('@')).toEqual([])
    expect(await search('\\')).toEqual([])
  })

  it('refuses an empty text and invalid limits', async () => {
    for (const query of [
      {},
      { q: '' },
      { q: 'a', limit: 11 },
      { q: 'a', limit: 0 },
      { q: 'a', cursor: 'x' },
    ]) {
      expect((await get('user/search', query)).statusCode).toBe(400)
    }
    expect((await get('user/search', { q: 'a' })).json().result.users).toHaveLength(5)
  })

  it('pages list each match once', async () => {
    const all = await search('ann')
    expect(all.length).toBeGreaterThanOrEqual(6)
    for (const limit of [1, 2, 3]) expect(await pages('ann', limit)).toEqual(all)
  })

  it('names change while paging -> none twice, no unchanged one lost', async () => {
    const someNames = fc.uniqueArray(fc.integer({ min: 2, max: 4 }), { maxLength: 2 })
    let now = testNow
    await fc.assert(
      fc.asyncProperty(someNames, fc.integer({ min: 1, max: 3 }), async (renamed, limit) => {
        const waiting = [...renamed]
        const found = await pages('ann', limit, {}, async () => {
          const fid = waiting.pop()
          if (fid === undefined) return
          now += 1
          await merge({ messages: [people[fid - 1]!.userData(UserDataType.USERNAME, '', now)] })
        })
        expect(new Set(found).size).toBe(found.length)
        const unaffectedFids = [1, 2, 3, 4, 5, 8].filter((fid) => !renamed.includes(fid))
        expect(found).toEqual(expect.arrayContaining(unaffectedFids))
        now += 1
        await merge({
          messages: renamed.map((fid) =>
            people[fid - 1]!.userData(UserDataType.USERNAME, names[fid - 1]![0]!, now),
          ),
        })
      }),
      { numRuns: 12 },
    )
  })

  it.each([
    ['that start with the text', 'vitali', 'Somebody '],
    ['that are hidden', 'other', 'My Vitali '],
  ])('finds a similar name behind fifty more similar ones %s', async (_, username, displayName) => {
    await db`
      insert into social.users (fid, custody_address, registered_at, username, display_name)
      select n, decode(repeat('00', 20), 'hex'), 0, ${username} || n % 100, ${displayName} || n % 100
      from generate_series(1001, 1060) n`
    await db`
      insert into social.users (fid, custody_address, registered_at, username)
      values (2001, decode(repeat('00', 20), 'hex'), 0, 'vitalo')`
    await db`insert into moderation.mutes select 10, n, 0 from generate_series(1001, 1060) n where ${username} = 'other'`
    expect(await pages('vitali', 10, { viewer_fid: 10 })).toContain(2001)
    await db`delete from moderation.mutes`
    await db`delete from social.users where fid > 1000`
  })

  it('runs at most six statements', async () => {
    expect(await countStatements('user/search', { q: 'anna', viewer_fid: 10 })).toBeLessThanOrEqual(6)
  })
})

describe('a large network', () => {
  beforeAll(async () => {
    await db`
      insert into social.users (fid, custody_address, registered_at, username, display_name)
      select n, decode(repeat('00', 20), 'hex'), 0, 'many' || n, 'Crowd ' || n from generate_series(10001, 10400) n`
    await db`insert into social.user_counts select n, n from generate_series(10001, 10400) n`
    await db`update social.users set score = 1 where fid = 10001`
    await refreshSearchLists(db, testNowUnix * 1000)
  })

  it('a frequent prefix -> the best known names', async () => {
    expect(await search('m', { limit: 3 })).toEqual([10001, 10400, 10399])
    expect(await search('many', { limit: 2 })).toEqual([10001, 10400])
    expect(await search('crowd 10', { limit: 2 })).toEqual([10001, 10400])
    const all = await pages('many', 10)
    expect([all.length, new Set(all).size]).toEqual([50, 50])
  })

  it('a frequent prefix -> also the exact name and followed users', async () => {
    expect(await search('many10002', { limit: 1 })).toEqual([10002])
    await merge({ messages: [people[0]!.link(10003, testNow)] })
    expect(await search('many', { limit: 2, viewer_fid: 1 })).toEqual([10003, 10001])
  })

  it('lists that a clock which was ahead has dated are refreshed once it is right', async () => {
    const nowMs = testNowUnix * 1000
    await refreshSearchLists(db, nowMs + 30 * 86_400_000)
    await createSearchJob({ db, clock: () => nowMs }).run()
    const [newest] = await db`select finished_at from search.runs order by id desc limit 1`
    expect(newest).toEqual({ finished_at: nowMs })
  })

  it('drops unused lists, and refreshes lists together', async () => {
    await Promise.all([1, 2].map(() => refreshSearchLists(db, testNowUnix * 1000)))
    await db`delete from social.users where fid > 10100`
    expect((await search('many', { limit: 1 }))[0]).toBe(10001)
    await refreshSearchLists(db, testNowUnix * 1000)
    expect(await db`select count(*) from search.top_users_by_prefix`).toEqual([{ count: 0 }])
    expect(await pages('many', 10)).toHaveLength(100)
  })
})
