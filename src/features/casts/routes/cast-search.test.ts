import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testNow, testNowUnix } from '../../../../test/network.js'
import { searchTerms } from '../../../graph/query/cast-search-terms.js'
import { refreshVocabulary } from '../../../graph/refresh/search-vocabulary.js'
import { unixMsFromFarcasterSeconds } from '../../../protocol/time.js'
import { createCastNetwork, prefixedHash, userOf } from './testing/cast-network.js'

const { db, ask, api, merge, createChannel, countStatements } = await createCastNetwork()
const [alice, bob, carol] = [userOf(1), userOf(2), userOf(3)]
const gardens = 'https://example.com/~/channel/gardens'
const old = 'chain://eip155:1/erc721:0x02'
await createChannel('gardens', { urls: [gardens, old] })

const DAY = 86_400
const momentOf = (timestamp: number, ms: number) =>
  new Date(unixMsFromFarcasterSeconds(timestamp) + ms).toISOString()
const texts = {
  wet: alice.cast('Wet garden soil, in spring', testNow - 9 * DAY, { parentUrl: gardens }),
  dry: bob.cast('the soil of my garden is dry', testNow - 3 * DAY, { parentUrl: old }),
  sand: carol.cast("sand is not soil, it's sand", testNow - 2 * DAY),
  unrelated: bob.cast('a photo of nothing', testNow - DAY),
  french: carol.cast('ÉTÉ au jardin', testNow - 500),
  fire: alice.cast('fire🔥 in the stove—at last', testNow - 480),
  worms: bob.cast('“Compost”… isn’t garbage 🪱🔥', testNow - 470),
  japanese: carol.cast('春の日本庭園、きれい。', testNow - 460),
}
const reply = bob.cast('gardeners unite', testNow - 400, { parentCastId: { fid: 1, hash: texts.wet.hash } })
await merge(...Object.values(texts), reply)
await refreshVocabulary(db)

type Query = Record<string, string | number | boolean>
interface Result {
  casts: { text: string; hash: string }[]
  next: { cursor: string | null }
}
const search = async (query: Query) => (await ask('cast/search', query)).result as Result
const found = async (query: Query) => (await search(query)).casts.map(({ text }) => text.split(' ')[0])

const metricsOf = async (q: string) => (await ask('cast/metrics', { q })).metrics as { cast_count: number }[]

describe('cast/search', () => {
  test.each([
    ['soil', ['sand', 'the', 'Wet']],
    ['SOIL garden', ['the', 'Wet']],
    ['soil + garden', ['the', 'Wet']],
    ['"garden soil"', ['Wet']],
    ['"soil garden"', []],
    ['soil -garden', ['sand']],
    ['soil -"garden soil"', ['sand', 'the']],
    ['photo | sand', ['a', 'sand']],
    ['(photo | sand) -"not soil"', ['a']],
    ['soil -(dry | sand)', ['Wet']],
    ['-(dry | sand) soil', ['Wet']],
    ['gard*', ['gardeners', 'the', 'Wet']],
    ['from:bob', ['gardeners', '“Compost”…', 'a', 'the']],
    ['from:@Bob soil', ['the']],
    ['from:nobody soil', []],
    ['-from:bob soil', ['sand', 'Wet']],
    ['soil -from:@Bob -from:nobody', ['sand', 'Wet']],
    ['soil -from:bob -from:alice', ['sand']],
    ['soil -(from:bob | from:alice)', ['sand']],
    ['from:bob from:alice soil', ['the', 'Wet']],
    ['(from:bob | from:alice) soil', ['the', 'Wet']],
    ['from:bob -from:bob', []],
    ['soil from:!3', ['sand']],
    ['soil from:@!3', ['sand']],
    ['soil -from:!3', ['the', 'Wet']],
    ['soil from:!3 from:bob', ['sand', 'the']],
    ['soil -from:!3 -from:bob', ['Wet']],
    // Bob has a name.
    ['soil from:!2', []],
    ['soil -from:!2', ['sand', 'the', 'Wet']],
    ['soil from:!99999999999999999999', []],
    ['soil after:2026-10-28', ['sand', 'the']],
    ['soil before:2026-10-29T12:00:00Z', ['the', 'Wet']],
    // The middle of a second is behind its casts.
    [`soil after:${momentOf(testNow - 3 * DAY, 500)}`, ['sand']],
    [`soil before:${momentOf(testNow - 3 * DAY, 500)}`, ['the', 'Wet']],
    [`soil before:${momentOf(testNow - 3 * DAY, 0)}`, ['Wet']],
    ['soil before:lunch', []],
    ['été', ['ÉTÉ']],
    ["it's", ['sand']],
    ['((((soil', ['sand', 'the', 'Wet']],
    ['soil)))) |', ['sand', 'the', 'Wet']],
    ['🌱', []],
    ['🔥', ['“Compost”…', 'fire🔥']],
    ['🔥🪱', ['“Compost”…']],
    ['🔥 -🪱', ['fire🔥']],
    ['🪱 | fire', ['“Compost”…', 'fire🔥']],
    ['fire', ['fire🔥']],
    ['compost', ['“Compost”…']],
    ["compost isn't", ['“Compost”…']],
    ['“compost isn’t”', ['“Compost”…']],
    ['“isn’t compost”', []],
    ['日本', ['春の日本庭園、きれい。']],
    ['庭園', ['春の日本庭園、きれい。']],
    ['本日', []],
    ['園', ['春の日本庭園、きれい。']],
    ['- | + ()', []],
    ['gardn~1', ['the', 'Wet']],
    ['gardn', []],
    ['gradne~2', ['the', 'Wet']],
    ['gradne~1', []],
    ['gradne~99999999999', ['the', 'Wet']],
    ['soul~1 -gardn~1', ['sand']],
    ['soil~', ['sand', 'the', 'Wet']],
    ['soil~x', []],
    ['"the garden"~1', []],
    ['"the garden"~3', ['the']],
    ['"wet soil"~1', ['Wet']],
    ['"wet soil"~0', []],
    ['"soil garden"~1', []],
    ['"soil garden"~2', ['the', 'Wet']],
    ['"wet soil spring"~2', ['Wet']],
    ['"wet soil spring"~1', []],
    ['"wet soil spring"~9999999', ['Wet']],
    ['~2 | ~', []],
  ])('finds %s', async (q, expected) => {
    expect(await found({ q })).toEqual(expected)
  })

  test.each([
    [{ author_fid: 1 }, ['Wet']],
    [{ parent_url: gardens }, ['Wet']],
    [{ channel_id: 'gardens' }, ['the', 'Wet']],
    [{ channel_id: 'gardens', q: 'gard*' }, ['gardeners', 'the', 'Wet']],
    [{ channel_id: 'nowhere' }, []],
    [{ sort_type: 'chron' }, ['Wet', 'the', 'sand']],
    [{ viewer_fid: 1 }, ['sand', 'the', 'Wet']],
  ])('finds soil with %j', async (query, expected) => {
    expect(await found({ q: 'soil', ...query })).toEqual(expected)
    expect(await countStatements('cast/search', { q: 'soil', ...query, viewer_fid: 1 })).toBeLessThanOrEqual(
      7,
    )
  })

  test('finds mentions by the names that the reply shows', async () => {
    const mentioning = (text: string, fids: number[], positions: number[]) =>
      carol.cast(text, testNow - 100, { mentions: fids, mentionsPositions: positions })
    const greeting = mentioning('Über  und : héllo', [4, 2], [6, 11])
    await merge(greeting)
    await db`update social.users set username = 'soft-radio' where fid = 4`
    const seen = ['Über']
    for (const q of [
      'soft',
      '@soft-radio',
      'radio',
      'soft-radio und',
      '"über @soft-radio und bob"',
      'sof* bob',
    ]) {
      expect(await found({ q }), q).toEqual(seen)
    }
    expect(await found({ q: '"soft bob"' })).toEqual([])
    expect(await found({ q: '"soft bob"~1' })).toEqual(seen)
    expect(await found({ q: 'héllo -soft' })).toEqual([])
    await db`update social.users set username = 'loud' where fid = 4`
    expect(await found({ q: 'soft' })).toEqual([])
    expect(await found({ q: 'loud' })).toEqual(seen)
    expect((await metricsOf('loud')).at(-2)).toMatchObject({ cast_count: 1 })
    await merge(carol.removeCast(greeting.hash, testNow))
  })

  test('the first eight words match similar words, and further ones only themselves', async () => {
    const others = (count: number) => Array.from({ length: count }, (_, n) => `absent${n}~1`).join(' | ')
    expect(await found({ q: `${others(7)} | gardn~1` })).toEqual(['the', 'Wet'])
    expect(await found({ q: `${others(8)} | gardn~1` })).toEqual([])
    expect(await found({ q: `${others(8)} | garden~1 | unit*` })).toEqual(['gardeners', 'the', 'Wet'])
  })

  test('algorithmic: activity and age decide, page by page', async () => {
    const casts = [5, 6, 7].map((age) => alice.cast(`quokka ${age}`, testNow - age * 600))
    await merge(
      ...casts,
      bob.react(casts[2]!, testNow),
      carol.react(casts[2]!, testNow),
      bob.react(casts[1]!, testNow),
    )
    const query = { q: 'quokka', sort_type: 'algorithmic', limit: 1 }
    const first = await search(query)
    await merge(alice.cast('quokka new', testNow + 1))
    const second = await search({ ...query, cursor: first.next.cursor! })
    const third = await search({ ...query, cursor: second.next.cursor! })
    expect([first, second, third].map(({ casts: [only] }) => only!.hash)).toEqual(
      [casts[2]!, casts[1]!, casts[0]!].map(prefixedHash),
    )
    expect(third.next.cursor).toBeNull()
  })

  test.each(['semantic', 'hybrid'])('501 without a model: %s', async (mode) => {
    const reply = await api.get('cast/search', { q: 'soil', mode })
    expect(reply.statusCode).toBe(501)
    expect(reply.json().message).toContain('AI_EMBEDDING_MODEL')
  })

  test.each(['desc_chron', 'chron'])(
    'goes through pages, also far below the newest: %s',
    async (sort_type) => {
      const noise = Array.from({ length: 2_100 }, (_, n) =>
        userOf(4 + (n % 3)).cast(`noise ${n}`, testNow - 1000 - n),
      )
      if (sort_type === 'chron') await merge(...noise.slice(0, 1050))
      else await merge(...noise.slice(1050))
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: Result = await search({
          q: 'soil',
          sort_type,
          limit: 1,
          ...(cursor === null ? {} : { cursor }),
        })
        seen.push(...page.casts.map(({ hash }) => hash))
        cursor = page.next.cursor
      } while (cursor !== null)
      const newestFirst = [texts.sand, texts.dry, texts.wet].map(prefixedHash)
      expect(seen).toEqual(sort_type === 'chron' ? newestFirst.reverse() : newestFirst)
    },
  )

  test('never finds deleted casts, nor casts of blocked users', async () => {
    const secret = alice.cast('secret xylophone', testNow - 10)
    await merge(secret, bob.cast('my xylophone', testNow - 9))
    expect(await found({ q: 'xylophone' })).toEqual(['my', 'secret'])
    await merge(alice.removeCast(secret.hash, testNow), userOf(6).link(2, testNow, { type: 'block' }))
    expect(await found({ q: 'xylophone' })).toEqual(['my'])
    expect(await found({ q: 'xylophone', viewer_fid: 6 })).toEqual([])
  })

  test.each([
    [{}, 'q'],
    [{ q: 'x'.repeat(501) }, 'q'],
    [{ q: 'soil', mode: 'vague' }, 'mode'],
    [{ q: 'soil', sort_type: 'loudest' }, 'sort_type'],
    [{ q: 'soil', cursor: 'x' }, 'cursor'],
  ])('400: %j names %s', async (query, property) => {
    expect((await api.get('cast/search', query as Query)).json()).toMatchObject({ status: 400, property })
  })

  test('any query -> a reply', async () => {
    const queryPiece = fc.oneof(
      fc.constantFrom(
        '"',
        '-',
        '|',
        '(',
        ')',
        '*',
        '+',
        "'",
        '\\',
        ':',
        '!',
        '&',
        '<->',
        ':*',
        'from:',
        'before:',
        '%',
        '~',
        '~2',
        '"~3',
        '\u0000',
      ),
      fc.constantFrom(
        'soil',
        'after:2026-99-99',
        'before:2026-01-01',
        "''",
        '-(',
        '-"',
        'ab*c',
        ':ABCD',
        'https://a.b/c?d=e',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom(' ', ' ', '\n'),
    )
    const hostileQueries = fc
      .array(queryPiece, { minLength: 1, maxLength: 25 })
      .map((queryPieces) => queryPieces.join(''))
    await fc.assert(
      fc.asyncProperty(hostileQueries, async (q) => {
        const response = await api.get('cast/search', { q })
        expect([200, 400], `${JSON.stringify(q)} ${response.body}`).toContain(response.statusCode)
      }),
      { numRuns: 80 },
    )
    for (const q of [
      '('.repeat(500),
      '-('.repeat(250),
      `${'é'.repeat(499)}*`,
      `"${'ab '.repeat(160)}"`,
      '|'.repeat(500),
    ]) {
      expect((await api.get('cast/search', { q })).statusCode, q).toBe(200)
    }
  })
})

test('parses search terms', () => {
  expect(searchTerms('a "b c" -d e* | (f -(g)) from:@Al after:2026-01-02')).toMatchObject({
    tsquery: "(('a' & ('b c') & !'d' & 'e':*) | (('f' & !('g'))))",
    usernames: ['al'],
    notUsernames: [],
    afterMs: Date.UTC(2026, 0, 2),
    beforeMs: null,
  })
  const filteredQuery = 'after:2026-02-01 after:2026-01-02 before:2026-03-01 before:2026-04-01 -from:Al'
  expect(searchTerms(filteredQuery)).toMatchObject({
    tsquery: null,
    usernames: [],
    notUsernames: ['al'],
    afterMs: Date.UTC(2026, 1, 1),
    beforeMs: Date.UTC(2026, 2, 1),
  })
})

test('a filter in quotation marks is a phrase', () => {
  for (const q of ['"after:2026-01-02"', '"after:2026-01-02 12:30"', '"from:al"', '-"before:2026-01-02"']) {
    const filters = { usernames: [], notUsernames: [], afterMs: null, beforeMs: null }
    expect(searchTerms(q), q).toMatchObject({ ...filters, tsquery: expect.any(String) })
  }
})

test('times are UTC unless a zone is given', () => {
  const zone = process.env.TZ
  process.env.TZ = 'Asia/Tokyo'
  try {
    const after = (time: string) => searchTerms(`after:2026-01-02${time}`).afterMs
    expect(after('T12:30')).toBe(Date.UTC(2026, 0, 2, 12, 30))
    expect(after('T12:30:15.5')).toBe(Date.UTC(2026, 0, 2, 12, 30, 15, 500))
    expect(after('T12:30Z')).toBe(Date.UTC(2026, 0, 2, 12, 30))
    expect(after('T12:30+02:00')).toBe(Date.UTC(2026, 0, 2, 10, 30))
    expect(after('')).toBe(Date.UTC(2026, 0, 2))
    for (const noTime of ['T', '/', '-03', 'T12:30PM', 'T12:30GMT']) {
      expect(after(noTime), noTime).toBeNull()
    }
  } finally {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  }
})

describe('cast/metrics', () => {
  interface Metric {
    start: string
    resolution_in_seconds: number
    cast_count: number
  }
  const metrics = async (query: Query) => (await ask('cast/metrics', query)).metrics as Metric[]

  test('counts casts by interval', async () => {
    const days = await metrics({ q: 'soil', interval: '7d' })
    expect(days.map(({ cast_count }) => cast_count)).toEqual([0, 0, 0, 1, 1, 0, 0])
    expect(days[0]).toMatchObject({ resolution_in_seconds: DAY, start: '2026-10-26T00:00:00.000Z' })
    const month = await metrics({ q: 'soil' })
    expect([month.length, month.reduce((sum, { cast_count }) => sum + cast_count, 0)]).toEqual([30, 3])
    expect(month.at(-1)!.start).toBe(new Date(testNowUnix * 1000).toISOString())
    for (const [interval, length] of [
      ['1d', 24],
      ['90d', 13],
      ['180d', 26],
    ] as const) {
      expect((await metrics({ q: 'soil', interval })).length).toBe(length)
    }
  })

  test('author_fid or channel_id -> only their casts', async () => {
    const sum = async (query: Query) =>
      (await metrics(query)).reduce((all, { cast_count }) => all + cast_count, 0)
    expect(await sum({ q: 'soil', author_fid: 2 })).toBe(1)
    expect(await sum({ q: 'soil', channel_id: 'gardens' })).toBe(2)
    expect(await sum({ q: '🌱' })).toBe(0)
  })

  test('400: names the missing or wrong parameter', async () => {
    expect((await api.get('cast/metrics', {})).json()).toMatchObject({ status: 400, property: 'q' })
    const wrong = await api.get('cast/metrics', { q: 'a', interval: '2d' })
    expect(wrong.json()).toMatchObject({ status: 400, property: 'interval' })
  })
})
