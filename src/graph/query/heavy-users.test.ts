import { beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import type { Database } from '../../platform/db/connection.js'
import { searchCasts } from './cast-search.js'
import { searchTerms } from './cast-search-terms.js'
import { type FeedCursor, type FeedRow, scanLimitOf } from './feeds.js'
import { readAuthorFeed, readShownInAuthorFeed } from './feeds-by-author.js'
import { type ParentFeed, readParentFeed } from './feeds-by-parent.js'
import { readShownInFollowing } from './feeds-following.js'
import { readSuggested } from './follows-between.js'
import { readPopularCasts } from './popular-casts.js'
import { readUserReactions } from './reactions.js'

/**
 * PostgreSQL soon uses one plan for all users, made for average ones. User 1 has far more rows than others: a
 * page of it must not read all of them.
 */
const { db } = await createTestDatabase()
const HEAVY = 8_000
/** More than a page, far less than the rows of user 1. */
const FEW = 2_000

/** Reads with the generic plan, and counts the table rows and index entries that it touches. */
async function readWithOnePlan<Value>(read: (db: Database) => Promise<Value>): Promise<[Value, number]> {
  return (await db.begin(async (transaction) => {
    await transaction`set local plan_cache_mode = force_generic_plan`
    const looked = async () => {
      const [row] = await transaction<{ rows: number }[]>`
        select sum(pg_stat_get_xact_tuples_returned(c.oid))::integer as rows
        from pg_class c where c.relnamespace = 'social'::regnamespace and c.relkind in ('r', 'i')`
      return row!.rows
    }
    const before = await looked()
    const value = await read(transaction as unknown as Database)
    return [value, (await looked()) - before] as const
  })) as [Value, number]
}

beforeAll(async () => {
  // As in a real network, the rows of one user are scattered.
  const randomOrder = db`order by md5(n::text || fid)`
  const hash = db`decode(lpad(to_hex(n), 40, '0'), 'hex')`
  const heavy = db`generate_series(1, ${HEAVY}::integer) n`
  await db`
    insert into social.users (fid, custody_address, registered_at)
    select n, ${hash}, 0 from ${heavy}`
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    select hash, fid, n, '', hash, '[]', '{}', '{}', 'key'
    from (
      select ${hash} as hash, 1 as fid, n from ${heavy}
      union all
      select decode('aa' || lpad(to_hex(n), 38, '0'), 'hex'), 2000 + n % 5000, n from ${heavy}
    ) cast_of`
  await db`
    insert into social.signer_apps (fid, key, app_fid) values (1, 'key', 9), (1, 'old key', 8)`
  await db`
    insert into social.reactions (fid, type, ts, target_hash, target_fid, signer)
    select fid, 1, n, ${hash}, 1, 'key'::bytea
    from (
      select 1 as fid, n from ${heavy}
      union all
      select fid, n from generate_series(1, 500) n, generate_series(2, 40) fid
    ) reaction ${randomOrder}`
  await db`
    insert into social.follows (fid, target_fid, ts, signer)
    select fid, n, n, 'key'::bytea
    from (
      select 1 as fid, n from ${heavy} where n between 2 and ${HEAVY / 2}::integer
      union all
      select n, n + step from ${heavy}, generate_series(1, 2) step where n > 1
    ) follow ${randomOrder}`
  await db`vacuum analyze social.users, social.casts, social.reactions, social.follows, social.signer_apps`
})

it('reactions of a user: read by index, no more than a page', async () => {
  const reactionQuery = { kinds: ['likes', 'recasts'], before: null, count: 26 } as const
  const [rows, looked] = await readWithOnePlan((one) => readUserReactions(one, 1, reactionQuery))
  expect([rows.length, rows[0]!.ts, rows.at(-1)!.ts]).toEqual([26, HEAVY, HEAVY - 25])
  expect(looked).toBeLessThan(FEW)
})

it('suggestions read the follows of the user once, not once per candidate', async () => {
  const [fids, looked] = await readWithOnePlan((one) => readSuggested(one, { fid: 1, hidden: [], limit: 25 }))
  expect(fids).toEqual([HEAVY / 2 + 1, HEAVY / 2 + 2])
  expect(looked).toBeLessThan(HEAVY)
})

it('keys of an app are looked up once per author, not once per cast', async () => {
  const feed = (appFid: number) => (one: Database) =>
    readAuthorFeed(one, { fids: [1], casts: 'all', recasts: false, appFid }, { before: null, count: 26 })
  const [none, looked] = await readWithOnePlan(feed(8))
  expect(none).toEqual([])
  // Each cast once, without its key, and once more by index, to find that there are no others.
  expect(looked).toBeLessThan(2 * HEAVY + FEW)
  const [rows] = await readWithOnePlan(feed(9))
  expect(rows.map(({ ts }) => ts)).toEqual(Array.from({ length: 26 }, (_, n) => HEAVY - n))
})

it('pages of some of the casts of many authors end after a bounded reading, and have all of them', async () => {
  const appFid = 7
  await db`insert into social.signer_apps (fid, key, app_fid) values (1, 'rare key', ${appFid})`
  await db`update social.casts set signer = 'rare key' where fid = 1 and ts % 3000 = 5`
  // Another author could fill a page with casts that are older than what was read of the first.
  await db`insert into social.signer_apps (fid, key, app_fid) values (2, 'rare key', ${appFid})`
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    select hash, 2, n, '', hash, '[]', '{}', '{}', 'rare key'
    from (select n, decode('bb' || lpad(to_hex(n), 38, '0'), 'hex') as hash from generate_series(100, 139) n) cast_of`
  const fids = Array.from({ length: 20 }, (_, index) => index + 1)
  const found: number[] = []
  let before: FeedCursor | null = null
  let pages = 0
  do {
    const selection = { fids, casts: 'all', recasts: false, appFid } as const
    const [rows, looked]: [FeedRow[], number] = await readWithOnePlan((one) =>
      readAuthorFeed(one, selection, { before, count: 26 }),
    )
    expect(looked).toBeLessThan(FEW)
    const shown = rows.filter(({ isShown }) => isShown).slice(0, 25)
    found.push(...shown.map(({ ts }) => ts))
    before = scanLimitOf(rows) ?? (rows.length > shown.length ? shown.at(-1)! : null)
    pages += 1
  } while (before !== null && pages < 100)
  expect(found).toEqual([6005, 3005, ...Array.from({ length: 40 }, (_, n) => 139 - n), 5])
  expect(pages).toBe(HEAVY / 500 + 1)
  await db`update social.casts set signer = 'key' where fid = 1`
  await db`delete from social.casts where fid = 2 and signer = 'rare key'`
})

it('the first recast of a page is found without reading those of everyone', async () => {
  const [hash, author, reader, recaster] = ['cc'.repeat(20), 3, 4, HEAVY]
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    select hash, ${author}, 1, '', hash, '[]', '{}', '{}', 'key' from (select decode(${hash}, 'hex') as hash) cast_of`
  await db`
    insert into social.reactions (fid, type, ts, target_hash, target_fid, signer)
    select n, 2, n, decode(${hash}, 'hex'), ${author}, 'key'::bytea from generate_series(10, ${HEAVY}::integer) n`
  await db`insert into social.follows (fid, target_fid, ts, signer) values (${reader}, ${recaster}, 0, 'key')`
  await db`delete from social.follows where fid = ${reader} and target_fid <> ${recaster}`
  await db`vacuum analyze social.reactions, social.follows`
  const entry = { ts: recaster, hash, targetFid: author }
  const page = { before: null, count: 26, viewerFid: reader }
  const [following, looked] = await readWithOnePlan((one) =>
    readShownInFollowing(one, { fid: reader, recasts: true }, [entry], page),
  )
  expect(following).toEqual([true])
  expect(looked).toBeLessThan(FEW)
  const selection = { fids: [recaster - 1, recaster], casts: 'none', recasts: true } as const
  const [byAuthor, lookedByAuthor] = await readWithOnePlan((one) =>
    readShownInAuthorFeed(one, selection, [entry, { ...entry, ts: recaster - 1 }], page),
  )
  expect(byAuthor).toEqual([false, true])
  expect(lookedByAuthor).toBeLessThan(FEW)
  await db`delete from social.reactions where target_hash = decode(${hash}, 'hex')`
  await db`delete from social.casts where hash = decode(${hash}, 'hex')`
})

it('casts of an author who is hidden from the viewer are not read', async () => {
  await db`insert into social.blocks (fid, target_fid, ts) values (2, 1, 0)`
  const selection = { fids: [1], casts: 'all', recasts: true } as const
  const [rows, looked] = await readWithOnePlan((one) =>
    readAuthorFeed(one, selection, { before: null, count: 26, viewerFid: 2 }),
  )
  expect(rows).toEqual([])
  expect(looked).toBeLessThan(100)
  // Nor do they end a page: each would be one more empty page.
  const some = {
    ...selection,
    fids: Array.from({ length: 20 }, (_, index) => index + 1),
    casts: 'replies',
  } as const
  expect(await readAuthorFeed(db, some, { before: null, count: 26, viewerFid: 2 })).toEqual([])
  await db`delete from social.blocks`
})

it('nor for the popular casts of the author, nor for a search of its casts', async () => {
  await db`insert into social.blocks (fid, target_fid, ts) values (2, 1, 0)`
  await db`update social.users set username = 'heavy' where fid = 1`
  const [popular, lookedForPopular] = await readWithOnePlan((one) =>
    readPopularCasts(one, 1, { count: 10, viewerFid: 2 }),
  )
  expect(popular).toEqual([])
  expect(lookedForPopular).toBeLessThan(100)
  const page = { before: null, count: 26, order: 'desc_chron' } as const
  for (const search of [
    { terms: searchTerms('garden'), authorFid: 1 },
    { terms: searchTerms(''), authorFid: 1 },
    { terms: searchTerms('garden from:heavy') },
  ]) {
    const [found, looked] = await readWithOnePlan((one) =>
      searchCasts(one, search, { ...page, viewerFid: 2 }),
    )
    expect(found).toEqual([])
    expect(looked).toBeLessThan(100)
  }
  const byAnother = { ...page, viewerFid: 3 }
  expect(await searchCasts(db, { terms: searchTerms('from:heavy') }, byAnother)).toHaveLength(26)
  expect(await searchCasts(db, { terms: searchTerms(''), authorFid: 1 }, byAnother)).toHaveLength(26)
  await db`update social.users set username = null where fid = 1`
  await db`delete from social.blocks`
})

it('a page of a large channel for members only does not read all that it may', async () => {
  const url = 'https://example.com/~/channel/large'
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, member_count)
    values ('large', ${url}, ${url}, 'Large', 1, 0, 1)`
  await db`insert into channels.urls (url, channel_id) values (${url}, 'large')`
  await db`
    insert into social.casts (hash, fid, ts, text, parent_url, root_parent_url, thread_hash, embeds, mentions, mention_positions, signer)
    select hash, 2, n, '', ${url}, ${url}, hash, '[]', '{}', '{}', 'key'
    from (select n, decode('ee' || lpad(to_hex(n), 38, '0'), 'hex') as hash from generate_series(1, ${HEAVY}::integer) n) cast_of`
  await db`analyze social.casts`
  const selection = { parents: { channelIds: ['large'] }, replies: false, membersOnly: true }
  const [{ entries }, looked] = await readWithOnePlan((one) =>
    readParentFeed(one, selection, { before: null, count: 26, viewerFid: undefined }),
  )
  expect(entries).toHaveLength(26)
  expect(looked).toBeLessThan(200)
})

it('pages of several channels for members only have all casts of members', async () => {
  await db`update channels.channels set member_count = 2 where id = 'large'`
  await db`insert into channels.members (channel_id, fid, role, member_since) values ('large', 3, 'member', 0)`
  const url = 'https://example.com/~/channel/small'
  await db`
    insert into channels.channels (id, url, parent_url, name, lead_fid, created_at, member_count)
    values ('small', ${url}, ${url}, 'Small', 1, 0, 1)`
  await db`insert into channels.urls (url, channel_id) values (${url}, 'small')`
  // One cast of a member, behind thousands of others; and more than a page in the other channel, all of them older.
  await db`update social.casts set fid = 3 where parent_url = 'https://example.com/~/channel/large' and ts = 3000`
  await db`
    insert into social.casts (hash, fid, ts, text, parent_url, root_parent_url, thread_hash, embeds, mentions, mention_positions, signer)
    select hash, 2, n, '', ${url}, ${url}, hash, '[]', '{}', '{}', 'key'
    from (select n, decode('dd' || lpad(to_hex(n), 38, '0'), 'hex') as hash from generate_series(1, 40) n) cast_of`
  const selection = { parents: { channelIds: ['large', 'small'] }, replies: false, membersOnly: true }
  const found: number[] = []
  let before: FeedCursor | null = null
  let pages = 0
  do {
    const page = { before, count: 26, viewerFid: undefined }
    const { entries }: ParentFeed = await readParentFeed(db, selection, page)
    const scanLimit = scanLimitOf(entries)
    const shown = entries.filter((entry) => entry !== scanLimit).slice(0, 25)
    found.push(...shown.map(({ ts }) => ts))
    before = scanLimit ?? (entries.length > shown.length ? shown.at(-1)! : null)
    pages += 1
  } while (before !== null && pages < 100)
  expect(found).toEqual([3000, ...Array.from({ length: 40 }, (_, n) => 40 - n)])
})
