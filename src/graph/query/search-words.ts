/** The words of a search, in the notation of `to_tsquery('simple', …)`. */

/** A word to search for, as written. */
export interface SearchWord {
  /** For `to_tsquery`: quoted, with `:*` for a prefix. */
  readonly quoted: string
  /** The maximum edit distance of words that match, too. */
  readonly edits: number
}

/** Other words that match in place of a word, quoted. */
export type Alternatives = (word: SearchWord) => readonly string[]

/** The longest query. PostgreSQL does not index words longer than 2046 bytes, which are more than these characters take. */
const MAX_WORD_LENGTH = 500
/** Most edits between a word and its spelling in a search. */
const MAX_EDITS = 2
/** Maximum arrangements of the words of a phrase that are not adjacent. */
const MAX_ARRANGEMENTS = 32
/** Maximum alternatives of each word of such a phrase. */
const MAX_SLOPPY_ALTERNATIVES = 4

/**
 * Maps characters as `search.words_of` does before it indexes words: signs are spaces, characters of scripts
 * without spaces are words, and an emoji is a word that contains its code point.
 */
const sign = anyOf(
  '\\u0080-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7\\u1680',
  '\\u2000-\\u206f\\u20a0-\\u2bff\\u2e00-\\u2e7f\\u3000-\\u303f\\u30fb',
  '\\ufe00-\\ufe6f\\ufeff-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65\\ufff0-\\uffff',
  '\\u{1f000}-\\u{1faff}\\u{e0000}-\\u{e01ef}',
)
const standaloneCharacter = anyOf(
  '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff',
  '\\u{20000}-\\u{3134f}',
)
const emoji = anyOf(
  '\\u203c\\u2049\\u2139\\u2194-\\u21aa\\u231a-\\u23ff\\u25aa-\\u27bf\\u2934-\\u2935\\u2b00-\\u2bff',
  '\\u3030\\u303d\\u3297\\u3299\\u{1f000}-\\u{1faff}',
)

function anyOf(...ranges: string[]): RegExp {
  return new RegExp(`[${ranges.join('')}]`, 'gu')
}

/** The word for an emoji, as `search.words_of` writes it. */
function emojiToken(character: string): string {
  return `u${character.codePointAt(0)!.toString(16)}x`
}

/** A word or phrase of a search. */
export interface SearchPhrase {
  readonly text: string
  /** Whether it was in quotation marks. */
  readonly isQuoted: boolean
  readonly isPrefix: boolean
  /** The number behind `~`: edit distance of a word, or how far apart the words of a phrase may be; 0 without. */
  readonly tolerance: number
}

/** Returns the query of a word, a phrase, or emoji; null when there is nothing to search for. */
export function phraseQuery(
  { text, isQuoted, isPrefix, tolerance }: SearchPhrase,
  alternativesOf: Alternatives,
): string | null {
  const written = text
    .replace(sign, ' ')
    .replace(standaloneCharacter, ' $& ')
    .split(/\s+/)
    .filter((word) => word !== '')
  const isPhrase = written.filter(hasLetters).length > 1
  const words = written.map((word, index) => ({
    quoted: quote(word) + (isPrefix && index === written.length - 1 ? ':*' : ''),
    edits: isPhrase || isQuoted || isPrefix ? 0 : Math.min(tolerance, MAX_EDITS),
  }))
  const emojiWords = (text.match(emoji) ?? []).map(emojiToken)
  const slop = isPhrase && isQuoted ? tolerance : 0
  const terms = written.some(hasLetters) ? [phrase(words, slop, alternativesOf), ...emojiWords] : emojiWords
  if (terms.length === 0) return null
  return terms.length === 1 && words.length <= 1 ? terms[0]! : `(${terms.join(' & ')})`
}

function hasLetters(word: string): boolean {
  return /[\p{L}\p{N}]/u.test(word)
}

/**
 * Words side by side. PostgreSQL splits quoted text as it splits casts, which depends on its locale: words
 * without alternatives stay in one quotation, so that a sign between them counts as it does in the index.
 */
function phrase(words: readonly SearchWord[], slop: number, alternativesOf: Alternatives): string {
  if (slop > 0) {
    const lettered = words.filter(({ quoted }) => hasLetters(quoted))
    return sloppyPhrase(lettered, slop, alternativesOf)
  }
  const parts: string[] = []
  let run: string[] = []
  const endRun = () => {
    if (run.some(hasLetters)) parts.push(`'${run.join(' ')}'`)
    run = []
  }
  for (const word of words) {
    const others = hasLetters(word.quoted) ? alternativesOf(word) : []
    if (others.length === 0 && word.quoted.endsWith("'")) run.push(word.quoted.slice(1, -1))
    else {
      endRun()
      parts.push(anyWord([word.quoted, ...others]))
    }
  }
  endRun()
  return parts.join(' <-> ')
}

/**
 * A phrase with up to `slop` other words in it. Two words may also be swapped, which counts as 2. PostgreSQL
 * has operators for exact distances only, so that all arrangements are listed: a slop with too many is lowered.
 */
function sloppyPhrase(words: readonly SearchWord[], slop: number, alternativesOf: Alternatives): string {
  const texts = words.map((word) =>
    anyWord([word.quoted, ...alternativesOf(word).slice(0, MAX_SLOPPY_ALTERNATIVES)]),
  )
  let allowed = Math.min(slop, MAX_ARRANGEMENTS / 2 - 1)
  while (countArrangements(words.length - 1, allowed) > MAX_ARRANGEMENTS) allowed -= 1
  const arrangements = spread(words.length - 1, allowed).map((gaps) =>
    texts.map((text, index) => (index === 0 ? text : `<${gaps[index - 1]! + 1}> ${text}`)).join(' '),
  )
  const [first, second] = texts
  const swapped =
    words.length === 2
      ? Array.from({ length: Math.max(0, allowed - 1) }, (_, gap) => `${second} <${gap + 1}> ${first}`)
      : []
  return anyWord([...arrangements, ...swapped])
}

/** The number of ways to place at most `total` words in `gaps` gaps: the binomial of (total + gaps, gaps). */
function countArrangements(gaps: number, total: number): number {
  let count = 1
  for (let gap = 1; gap <= gaps; gap += 1) count = (count * (total + gap)) / gap
  return count
}

/** All ways to place at most `total` words in `gaps` gaps. */
function spread(gaps: number, total: number): number[][] {
  if (gaps === 0) return [[]]
  return Array.from({ length: total + 1 }, (_, gap) =>
    spread(gaps - 1, total - gap).map((others) => [gap, ...others]),
  ).flat()
}

function anyWord(queries: readonly string[]): string {
  return queries.length === 1 ? queries[0]! : `(${queries.join(' | ')})`
}

/** PostgreSQL splits a quoted word with signs inside and makes a phrase of it. */
function quote(word: string): string {
  const short = Array.from(word).slice(0, MAX_WORD_LENGTH).join('')
  return `'${short.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
