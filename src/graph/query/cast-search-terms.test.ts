import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../../../test/database.js'
import { searchTerms } from './cast-search-terms.js'

const { db } = await createTestDatabase()

/** Blocks of Unicode: letters and signs beyond ASCII, some Han, some Hangul, forms, emoji. */
const blocks = [
  [0x80, 0x3200],
  [0x4e00, 0x4e40],
  [0xac00, 0xac80],
  [0xf900, 0xffff],
  [0x1f000, 0x1fb00],
  [0x20000, 0x20080],
] as const

/** The texts that contain words and that a search for their own text does not find. */
async function unmatchedWords(texts: readonly string[]): Promise<string[]> {
  const searches = texts.flatMap((text) => {
    const { tsquery } = searchTerms(text)
    return tsquery === null ? [] : [{ text, tsquery }]
  })
  const rows = await db<{ text: string }[]>`
    select requested.text
    from unnest(
      ${db.types.texts(searches.map(({ text }) => text))}::text[],
      ${db.types.texts(searches.map(({ tsquery }) => tsquery))}::text[]
    ) as requested (text, tsquery)
    where not to_tsvector('simple', search.words_of(requested.text)) @@ to_tsquery('simple', requested.tsquery)
  `
  return rows.map(({ text }) => text)
}

it('every text finds itself, whatever characters it has', async () => {
  for (const [first, end] of blocks) {
    const characters = Array.from({ length: end - first }, (_, n) => String.fromCodePoint(first + n))
    expect(await unmatchedWords(characters.map((character) => `ab${character}cd`))).toEqual([])
    const letters = characters.filter((character) => /\p{L}|\p{N}|\p{Emoji_Presentation}/u.test(character))
    expect(await unmatchedWords(letters)).toEqual([])
  }
})

it('words are found beside every sign, and every emoji is found', async () => {
  const words = async (text: string) => {
    const [row] = await db<{ words: string[] }[]>`
      select tsvector_to_array(to_tsvector('simple', search.words_of(${text}))) as words`
    return row!.words
  }
  expect(await words('“wet” soil… fire🔥—at last')).toEqual(['at', 'fire', 'last', 'soil', 'u1f525x', 'wet'])
  expect(searchTerms('🔥').tsquery).toBe('(u1f525x)')
  expect(searchTerms('👍🏽').tsquery).toBe('((u1f44dx & u1f3fdx))')
})

it('a plus sign joins words that must all match, and belongs to the zone of a moment', () => {
  expect(searchTerms('soil+garden').tsquery).toBe(searchTerms('soil garden').tsquery)
  expect(searchTerms('+soil +garden').tsquery).toBe(searchTerms('soil garden').tsquery)
  expect(searchTerms('"soil+garden"').tsquery).toBe("('soil+garden')")
  for (const [written, same] of [
    ['+soil', 'soil'],
    ['-+soil', '-soil'],
    ['soil+-sand', 'soil -sand'],
    ['-+"wet soil"', '-"wet soil"'],
    ['-+(soil sand)', '-(soil sand)'],
    ['soil+-from:bob', 'soil -from:bob'],
    ['after:2026-10-01+soil', 'after:2026-10-01 soil'],
    ['soil+before:2026-10-01T12:00+02:00', 'soil before:2026-10-01T10:00'],
  ] as const)
    expect(searchTerms(written), written).toEqual(searchTerms(same))
  expect(searchTerms('from:ann+soil')).toEqual(searchTerms('from:ann soil'))
  const { tsquery, afterMs } = searchTerms('after:2026-10-01T12:00+02:00')
  expect([tsquery, afterMs]).toEqual([null, Date.parse('2026-10-01T10:00Z')])
})

it('a minus sign in front of a group negates the group and nothing behind it', () => {
  for (const [q, tsquery] of [
    ['-(sand gravel) soil', "(!('sand' & 'gravel') & 'soil')"],
    ['-(sand | dry) soil', "(!(('sand') | ('dry')) & 'soil')"],
    ['-(a b) c | d', "((!('a' & 'b') & 'c') | ('d'))"],
    ['(a -(b c) d) e', "(('a' & !('b' & 'c') & 'd') & 'e')"],
    ['-(a -(b -(c) d) e) f', "(!('a' & !('b' & !('c') & 'd') & 'e') & 'f')"],
    ['-(a', "(!('a'))"],
  ])
    expect(searchTerms(q!).tsquery, q).toBe(tsquery)
})

interface Expression {
  readonly q: string
  matches(words: ReadonlySet<string>): boolean
}

const { any: expressions } = fc.letrec<{ any: Expression; word: Expression; group: Expression }>((tie) => ({
  any: fc.oneof({ maxDepth: 4 }, tie('word'), tie('group')),
  word: fc.tuple(fc.constantFrom('aa', 'bb', 'cc'), fc.boolean()).map(([word, isNegative]) => ({
    q: isNegative ? `-${word}` : word,
    matches: (words) => words.has(word) !== isNegative,
  })),
  group: fc
    .tuple(
      fc.array(fc.array(tie('any'), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 2 }),
      fc.boolean(),
    )
    .map(([alternatives, isNegative]) => ({
      q: `${isNegative ? '-' : ''}(${alternatives.map((all) => all.map(({ q }) => q).join(' ')).join(' | ')})`,
      matches: (words) => alternatives.some((all) => all.every((each) => each.matches(words))) !== isNegative,
    })),
}))

it('words, groups and negative groups select what they say', async () => {
  const all = ['aa', 'bb', 'cc']
  const casts = Array.from({ length: 8 }, (_, bits) => all.filter((_, n) => (bits >> n) % 2 === 1))
  await fc.assert(
    fc.asyncProperty(fc.array(expressions, { minLength: 1, maxLength: 3 }), async (expected) => {
      const { tsquery } = searchTerms(expected.map(({ q }) => q).join(' '))
      const rows = await db<{ isFound: boolean }[]>`
        select to_tsvector('simple', text) @@ to_tsquery('simple', ${tsquery}) as "isFound"
        from unnest(${db.types.texts(casts.map((words) => words.join(' ')))}::text[]) as text
      `
      expect(rows.map(({ isFound }) => isFound)).toEqual(
        casts.map((words) => expected.every((each) => each.matches(new Set(words)))),
      )
    }),
    { numRuns: 100 },
  )
})

it.each([
  ['οδος', 'η ΟΔΟΣ', true],
  ['ΟΔΟΣ', 'η οδος', true],
  ['Σεισμος', 'ΣΕΙΣΜΟΣ', true],
  ['"ΟΔΟΣ ερμου"', 'οδος ΕΡΜΟΥ', true],
  ['"οδος ερμου"~1', 'ΟΔΟΣ της Ερμου', true],
  ['οδος*', 'ΟΔΟΣ', true],
  ['-οδος', 'η ΟΔΟΣ', false],
  ['σοδα', 'ΣΟΔΑ', true],
  ['οδος', 'οδοι', false],
])('a sigma at the end of a word: %s finds %s: %s', async (q, text, expected) => {
  const [row] = await db<{ isFound: boolean }[]>`
    select to_tsvector('simple', ${text}::text) @@ to_tsquery('simple', ${searchTerms(q).tsquery}) as "isFound"`
  expect(row?.isFound).toBe(expected)
})

it('filters and text in a negative group are negative, and positive again in one inside it', () => {
  const none = { usernames: [], notUsernames: [], afterMs: null, beforeMs: null }
  const day = Date.UTC(2026, 9, 1)
  for (const [q, expected] of [
    ['soil -(from:bob)', { ...none, notUsernames: ['bob'], plainText: 'soil' }],
    ['soil -(-from:bob)', { ...none, usernames: ['bob'], plainText: 'soil' }],
    ['-(from:bob -(from:al)) from:eve', { ...none, usernames: ['al', 'eve'], notUsernames: ['bob'] }],
    ['tomato -(blight fungus) red', { ...none, plainText: 'tomato red' }],
    ['tomato -(blight -ripe -("on the vine")) (red)', { ...none, plainText: 'tomato ripe on the vine red' }],
    ['soil -(-after:2026-10-01)', { ...none, afterMs: day }],
  ] as const)
    expect(searchTerms(q), q).toMatchObject(expected)
})

it('a date that does not exist is text', () => {
  const { afterMs, beforeMs, plainText } = searchTerms('after:2026-02-30 before:2026-04-31T12:00')
  expect([afterMs, beforeMs]).toEqual([null, null])
  expect(plainText).toBe('after:2026-02-30 before:2026-04-31T12:00')
})

it('a negative date is ignored', () => {
  for (const q of [
    'soil -before:2026-10-01',
    'soil -after:2026-10-01',
    'soil -(before:2026-10-01)',
    'soil -(after:2026-10-01 before:2026-11-01)',
    'soil (-before:2026-10-01)',
  ])
    expect(searchTerms(q), q).toEqual(searchTerms('soil'))
})

/** The operands of the query for `q`, where each word has that many alternatives. */
function operandsOf(q: string, count: number): string[] {
  const { tsquery } = searchTerms(q, () => Array.from({ length: count }, (_, n) => `zqm${n}x`))
  return tsquery!.match(/'[^']*'|zqm\d+x/g)!
}

const repeated = (text: string, separator: string) =>
  Array.from({ length: 500 }, () => text)
    .join(separator)
    .slice(0, 500)

it.each([
  ['"a b c"~9', '|'],
  ['"a b c"~9', '|x|'],
  ['"a b"~15', ' -'],
  ['("a b"~15)', ' | '],
  ['a~2', '|'],
  ['a', ' b '],
  ['(a)', ' '],
  ['a', '" "'],
])('a query of 500 characters of %s%s has at most 256 operands beside its words', (text, separator) => {
  const q = repeated(text, separator)
  expect(operandsOf(q, 52).length).toBeLessThanOrEqual(256 + q.match(/[a-z]/g)!.length)
})

it('a phrase keeps its slop rather than the alternatives of its words, in the order of the query', () => {
  const { tsquery } = searchTerms('"a b c"~6 | "d e"~15 | "f g"~1', (word) => [`${word.quoted}:*`])
  const phrases = tsquery!.slice(2, -2).split(') | (')
  const countOf = (text: string) =>
    phrases
      .filter((each) => each.includes(text))
      .join('')
      .match(/'/g)!.length / 2
  // 28 arrangements of three words with one alternative each; the others as written.
  expect(countOf("'a'")).toBe(168)
  expect(countOf("'d")).toBe(60)
  expect(countOf("'f")).toBe(8)
})

it('a word has those of its alternatives that the query still has room for', () => {
  expect(operandsOf('a b c', 100)).toHaveLength(3 + 256)
  expect(operandsOf('a b c', 10)).toHaveLength(33)
})

it('equal terms are one', () => {
  for (const [q, same] of [
    ['soil soil', 'soil'],
    ['soil -sand soil -sand', 'soil -sand'],
    ['soil | soil', 'soil'],
    ['(a b) (a b) | c', '(a b) | c'],
    ['"a b"~9 "a b"~9', '"a b"~9'],
  ] as const)
    expect(searchTerms(q).tsquery, q).toBe(searchTerms(same).tsquery)
  expect(searchTerms('soil -soil "soil" soil*').tsquery).toBe("('soil' & !'soil' & 'soil' & 'soil':*)")
})
