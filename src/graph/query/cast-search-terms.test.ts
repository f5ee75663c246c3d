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

/** Texts that do not find themselves, of those that say something to look for. */
async function unmatchedWords(texts: readonly string[]): Promise<string[]> {
  const searches = texts.flatMap((text) => {
    const { tsquery } = searchTerms(text)
    return tsquery === null ? [] : [{ text, tsquery }]
  })
  const rows = await db<{ text: string }[]>`
    select asked.text
    from unnest(
      ${db.types.texts(searches.map(({ text }) => text))}::text[],
      ${db.types.texts(searches.map(({ tsquery }) => tsquery))}::text[]
    ) as asked (text, tsquery)
    where not to_tsvector('simple', search.words_of(asked.text)) @@ to_tsquery('simple', asked.tsquery)
  `
  return rows.map(({ text }) => text)
}

it('finds every text by itself, whatever characters are in it', async () => {
  for (const [first, end] of blocks) {
    const characters = Array.from({ length: end - first }, (_, n) => String.fromCodePoint(first + n))
    expect(await unmatchedWords(characters.map((character) => `ab${character}cd`))).toEqual([])
    const letters = characters.filter((character) => /\p{L}|\p{N}|\p{Emoji_Presentation}/u.test(character))
    expect(await unmatchedWords(letters)).toEqual([])
  }
})

it('finds words beside any sign, and each emoji', async () => {
  const words = async (text: string) => {
    const [row] = await db<{ words: string[] }[]>`
      select tsvector_to_array(to_tsvector('simple', search.words_of(${text}))) as words`
    return row!.words
  }
  expect(await words('“wet” soil… fire🔥—at last')).toEqual(['at', 'fire', 'last', 'soil', 'u1f525x', 'wet'])
  expect(searchTerms('🔥').tsquery).toBe('(u1f525x)')
  expect(searchTerms('👍🏽').tsquery).toBe('((u1f44dx & u1f3fdx))')
})
