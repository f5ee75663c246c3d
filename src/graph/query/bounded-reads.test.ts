import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Fragment } from '#postgres'
import { createTestDatabase } from '../../../test/database.js'
import { distanceKm } from '../../platform/geo/distance.js'
import { countCastsFound } from './cast-metrics.js'
import { type CastSearch, searchCasts } from './cast-search.js'
import { searchTerms } from './cast-search-terms.js'
import { type ConversationPageRequest, type ReplyCursor, readConversation } from './casts-in-conversation.js'
import type { FeedCursor } from './feeds.js'
import { readPopularCasts } from './popular-casts.js'
import { readNearbyUsers } from './users-nearby.js'

/** Reads whose work is bounded, beside what they stand for: all rows, sorted. */
const { db } = await createTestDatabase()
const CASTS = 6_000
const AUTHOR = 7

beforeAll(async () => {
  await db`
    insert into social.casts (hash, fid, ts, text, thread_hash, embeds, mentions, mention_positions, signer)
    select hash, case when i % 4 = 0 then ${AUTHOR} else i % 5 end, i / 3,
      'cast' || case when i % 2 = 0 then ' common' else '' end || case when i % 97 = 0 then ' middling' else '' end
        || case when i % 1999 = 0 then ' rare' else '' end || case when i between 100 and 160 then ' old' else '' end,
      hash, '[]', '{}', '{}', ''
    from (select i, decode(md5(i::text) || '00000000', 'hex') as hash from generate_series(1, ${CASTS}::integer) i) c`
  await db`
    insert into social.cast_counts (hash, fid, likes, recasts, replies)
    select hash, fid, ts * 7919 % 50, ts % 3, 1 from social.casts where ts % 5 < 3`
  await db`insert into social.blocks (fid, target_fid, ts) values (9, 3, 0)`
  await db`analyze social.casts`
})

describe('searchCasts', () => {
  const words = fc.constantFrom('common', 'middling', 'rare', 'old', 'middling common', 'nothing')

  it.each(['desc_chron', 'chron'] as const)('%s: the pages of all casts with the words', async (order) => {
    await fc.assert(
      fc.asyncProperty(
        words,
        fc.integer({ min: 5, max: 40 }),
        fc.constantFrom(undefined, 9),
        async (q, count, viewerFid) => {
          const terms = searchTerms(q)
          const all = await db<FeedCursor[]>`
            select ts, encode(hash, 'hex') as hash from social.casts
            where words @@ to_tsquery('simple', ${terms.tsquery}) and fid <> ${viewerFid === undefined ? -1 : 3}
            order by ts desc, hash desc`
          const expected = order === 'chron' ? all.toReversed() : [...all]
          const found: FeedCursor[] = []
          for (let before: FeedCursor | null = null; found.length < 200; ) {
            const page: FeedCursor[] = await searchCasts(db, { terms }, { before, count, order, viewerFid })
            found.push(...page)
            before = page.at(-1) ?? null
            if (page.length < count) break
          }
          expect(found).toEqual(expected.slice(0, found.length))
          if (found.length < 200) expect(found).toHaveLength(expected.length)
        },
      ),
      { numRuns: 12 },
    )
  })
})

describe('countCastsFound', () => {
  const periods = { ts: 0, seconds: 500, count: 5 }
  const matching = async (word: string, bits: number) => {
    const rows = await db<{ periodIndex: number; casts: number }[]>`
      select (ts / 500)::integer as "periodIndex", count(*)::integer as casts from social.casts
      where words @@ to_tsquery('simple', ${word}) and ts < 2500
        and get_byte(hash, 0) < ${2 ** (8 - bits)}::integer
      group by 1 order by 1`
    return rows.map(({ periodIndex, casts }) => ({ periodIndex, casts: casts * 2 ** bits }))
  }
  const counted = async (word: string, limits: Parameters<typeof countCastsFound>[3]) =>
    (await countCastsFound(db, { terms: searchTerms(word) }, periods, limits)).toSorted(
      (a, b) => a.periodIndex - b.periodIndex,
    )

  it('few matches -> all are counted', async () => {
    const limits = { probed: 100, exact: 200, sampled: 50 }
    expect(await counted('middling', limits)).toEqual(await matching('middling', 0))
    expect(await counted('common', { ...limits, exact: 5_000 })).toEqual(await matching('common', 0))
    expect(await counted('nothing', limits)).toEqual([])
  })

  it('many matches -> a sample by hash, multiplied', async () => {
    const counts = await counted('common', { probed: 1_000, exact: 200, sampled: 400 })
    expect(counts).toEqual(await matching('common', 2))
    const sum = counts.reduce((all, { casts }) => all + casts, 0)
    expect(Math.abs(sum / 3_000 - 1)).toBeLessThan(0.15)
  })
})

describe('countCastsFound without words', () => {
  const periods = { ts: 0, seconds: 500, count: 5 }
  const limits = { probed: 1_000, exact: 200, sampled: 400 }
  const counted = async (search: Omit<CastSearch, 'terms'>, q: string) =>
    await countCastsFound(db, { terms: searchTerms(q), ...search }, periods, limits)

  it('many casts by others -> a sample by hash, multiplied', async () => {
    const counts = await counted({}, '-from:nobody')
    const sum = counts.reduce((all, { casts }) => all + casts, 0)
    expect(counts.every(({ casts }) => casts % 8 === 0)).toBe(true)
    expect(Math.abs(sum / CASTS - 1)).toBeLessThan(0.2)
  })

  it('casts of an author -> all are counted', async () => {
    const sum = (await counted({ authorFid: AUTHOR }, '-from:nobody')).reduce(
      (all, { casts }) => all + casts,
      0,
    )
    expect(sum).toBe(CASTS / 4)
  })
})

describe('readConversation', () => {
  const REPLIES = 2_500
  const FOLDED = 51
  const focus = Buffer.alloc(20, 1)
  const page: ConversationPageRequest = {
    cast: { hashPrefix: focus.toString('hex'), username: null },
    depth: 1,
    order: 'chron',
    fold: null,
    ancestors: false,
    after: null,
    count: 40,
  }

  beforeAll(async () => {
    await db`
      insert into social.casts
        (hash, fid, ts, text, parent_hash, parent_fid, thread_hash, embeds, mentions, mention_positions, signer)
      select case i when 0 then ${focus} else hash end,
        -- Few are below the fold: none of the first and of the last thousand.
        case when i between 1100 and 1200 and i % 2 = 0 then ${FOLDED} else 50 end, 10000 + i / 2, '',
        case when i > 0 then ${focus} end, case when i > 0 then 50 end, ${focus}, '[]', '{}', '{}', ''
      from (
        select i, decode(md5('reply' || i) || '00000000', 'hex') as hash from generate_series(0, ${REPLIES}::integer) i
      ) c`
    await db`
      insert into social.cast_counts (hash, fid, likes)
      select hash, fid, ts * 7919 % 50 from social.casts where parent_hash = ${focus}`
    await db`insert into social.users (fid, custody_address, registered_at, score) values (${FOLDED}, '', 0, 0.1)`
  })

  async function readAll(request: Partial<ConversationPageRequest>) {
    const pages: string[][] = []
    for (let after: ReplyCursor | null | undefined = null; after !== undefined; ) {
      const { rows, scanLimit } = await readConversation(db, { ...page, ...request, after })
      const direct = rows.filter(({ level }) => level === 1)
      pages.push(direct.slice(0, page.count - 1).map(({ hash }) => hash))
      after = (direct.length === page.count ? direct.at(-2) : scanLimit) ?? undefined
    }
    return pages
  }
  const replies = async (condition: Fragment, order: Fragment) => {
    const rows = await db<{ hash: string }[]>`
      select encode(c.hash, 'hex') as hash from social.casts c join social.cast_counts n using (hash, fid)
      where c.parent_hash = ${focus} and ${condition} order by ${order}`
    return rows.map(({ hash }) => hash)
  }

  it('algorithmic: the latest 1,000 replies, those with the most reactions first', async () => {
    const latest = db`
      c.hash in (select hash from social.casts where parent_hash = ${focus} order by ts desc, hash desc limit 1000)`
    const expected = await replies(latest, db`n.likes desc, c.ts desc, c.hash desc`)
    expect((await readAll({ order: 'algorithmic' })).flat()).toEqual(expected)
  })

  it('a fold without replies: no page follows', async () => {
    const { scanLimit } = await readConversation(db, { ...page, depth: 0, fold: 'below' })
    expect(scanLimit).toBeNull()
  })

  it.each(['chron', 'desc_chron'] as const)(
    'a fold, %s: all replies, in pages that read 1,000',
    async (order) => {
      const inOrder = order === 'chron' ? db`c.ts, c.hash` : db`c.ts desc, c.hash desc`
      const pages = await readAll({ order, fold: 'below' })
      expect(pages.flat()).toEqual(await replies(db`c.fid = ${FOLDED}`, inOrder))
      expect(pages[0]).toEqual([])
      expect((await readAll({ order, fold: 'above' })).flat()).toEqual(
        await replies(db`c.fid <> ${FOLDED}`, inOrder),
      )
    },
  )
})

describe('readPopularCasts', () => {
  const exact = async (fid: number) => {
    const rows = await db<{ hash: string }[]>`
      select encode(c.hash, 'hex') as hash
      from social.casts c left join social.cast_counts n on n.hash = c.hash and n.fid = c.fid
      where c.fid = ${fid}
      order by coalesce(n.likes + n.recasts + n.replies, 0) desc, c.ts desc, c.hash desc limit 10`
    return rows.map(({ hash }) => hash)
  }

  it('an author with few and with many casts -> the best', async () => {
    for (const fid of [1, AUTHOR, AUTHOR])
      expect(await readPopularCasts(db, fid, { count: 10 })).toEqual(await exact(fid))
    expect(await db`select fid from search.popular_cast_runs`).toEqual([{ fid: AUTHOR }])
    expect(await readPopularCasts(db, 3, { count: 10, viewerFid: 9 })).toEqual([])
  })

  it('counts that change -> the best of the latest and of those that were best', async () => {
    const [, second] = await exact(AUTHOR)
    const latest = await db<{ hash: Buffer }[]>`
      select hash from social.casts where fid = ${AUTHOR} order by ts desc, hash desc limit 1`
    await db`
      insert into social.cast_counts (hash, fid, likes)
      select hash, ${AUTHOR}, 500 from unnest(${db.types.byteas([latest[0]!.hash, Buffer.from(second!, 'hex')])}::bytea[]) hash
      on conflict (hash, fid) do update set likes = 500 + cast_counts.likes`
    expect(await readPopularCasts(db, AUTHOR, { count: 10 })).toEqual(await exact(AUTHOR))
  })

  it('after six hours -> all are ranked again', async () => {
    const old = await db<{ hash: Buffer }[]>`
      select c.hash from social.casts c where c.fid = ${AUTHOR}
        and not exists (select from search.popular_casts p where p.hash = c.hash) order by ts limit 1`
    await db`
      insert into social.cast_counts (hash, fid, likes) values (${old[0]!.hash}, ${AUTHOR}, 900)
      on conflict (hash, fid) do update set likes = 900`
    await db`update search.popular_cast_runs set ranked_at = now() - interval '7 hours'`
    const found = await Promise.all([1, 2].map(() => readPopularCasts(db, AUTHOR, { count: 10 })))
    expect(found).toEqual([await exact(AUTHOR), await exact(AUTHOR)])
    expect(await db`select count(*)::integer as kept from search.popular_casts`).toEqual([{ kept: 250 }])
  })
})

describe('readNearbyUsers', () => {
  it('pages list users by distance and fid, whatever their points', async () => {
    // Few points, some equally far: to the west and to the east.
    const point = fc.tuple(fc.constantFrom(0, 1, 8, 40, 90), fc.constantFrom(-60, -2, 0, 2, 60))
    await fc.assert(
      fc.asyncProperty(
        fc.array(point, { minLength: 1, maxLength: 40 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 7 }),
        async (points, hidden, limit) => {
          await db`delete from social.users`
          const locations = points.map(
            ([north, east]) => `geo:${(north / 100).toFixed(2)},${(east / 100).toFixed(2)}`,
          )
          await db`
            insert into social.users (fid, custody_address, registered_at, location)
            select n, '', 0, location
            from unnest(${db.types.texts(locations)}::text[]) with ordinality as user_at (location, n)`
          const expected = points
            .map(([north, east], index) => ({
              fid: index + 1,
              km: distanceKm(0, 0, north / 100, east / 100),
            }))
            .filter(({ fid, km }) => km <= 100 && !hidden.includes(fid))
          const found = []
          for (let after: readonly [number, number] | null = null; ; ) {
            const page = await readNearbyUsers(db, { latitude: 0, longitude: 0, hidden, limit }, after)
            found.push(...page)
            const last = page.at(-1)
            if (page.length < limit || !last) break
            after = [last.km, last.fid]
          }
          expect(found.map(({ fid }) => fid).toSorted((a, b) => a - b)).toEqual(
            expected.map(({ fid }) => fid),
          )
          expect(found).toEqual(found.toSorted((a, b) => a.km - b.km || a.fid - b.fid))
        },
      ),
      { numRuns: 25 },
    )
  })
})
