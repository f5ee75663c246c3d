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
 * Maximum operands of a query for PostgreSQL beside its words as written: alternatives, and the words of further arrangements.
 * 500 characters made 33,000, which PostgreSQL did not compare with 100,000 casts in 30 seconds; the time is proportional to
 * them. With 256 each of eight words may have the 32 names that match it.
 */
const MAX_ADDED_OPERANDS = 256

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

/** The operands that may still be added to a query. */
export class OperandBudget {
  #left = MAX_ADDED_OPERANDS

  /** Takes all of them, or none if there are not as many. */
  takeAll(count: number): boolean {
    if (count > this.#left) return false
    this.#left -= count
    return true
  }

  /** Takes as many of them as there are. */
  takeFirst(options: readonly string[]): readonly string[] {
    const taken = options.slice(0, this.#left)
    this.#left -= taken.length
    return taken
  }
}

/** Returns the query of a word, a phrase, or emoji; null when there is nothing to search for. */
export function phraseQuery(
  { text, isQuoted, isPrefix, tolerance }: SearchPhrase,
  alternativesOf: Alternatives,
  budget: OperandBudget,
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
  const options = words.map((word) => ({
    text: word.quoted,
    others: hasLetters(word.quoted) ? [...sigmaSpellings(word.quoted), ...alternativesOf(word)] : [],
  }))
  const terms = written.some(hasLetters) ? [phrase(options, slop, budget), ...emojiWords] : emojiWords
  if (terms.length === 0) return null
  return terms.length === 1 && words.length <= 1 ? terms[0]! : `(${terms.join(' & ')})`
}

/**
 * The word with the other lowercase sigma at its end. Most locales of PostgreSQL make `σ` of each capital one, so that the index has
 * `οδοσ` for `ΟΔΟΣ`; others, such as those of ICU, know that the last one is a `ς`.
 */
function sigmaSpellings(quoted: string): string[] {
  const [, start, sigma, end] = /^('.*)([σΣς])('(?::\*)?)$/su.exec(quoted) ?? []
  return sigma === undefined ? [] : [`${start}${sigma === 'ς' ? 'σ' : 'ς'}${end}`]
}

function hasLetters(word: string): boolean {
  return /[\p{L}\p{N}]/u.test(word)
}

/** A word of a phrase as it is quoted, and its alternatives. */
interface WordOptions {
  readonly text: string
  readonly others: readonly string[]
}

/** Returns the query of a phrase. If the budget is too small for its slop, the phrase matches only as it is written. */
function phrase(words: readonly WordOptions[], slop: number, budget: OperandBudget): string {
  if (slop === 0) return adjacentPhrase(words, budget)
  const lettered = words.filter(({ text }) => hasLetters(text))
  for (let count = MAX_SLOPPY_ALTERNATIVES; count >= 0; count -= 1) {
    const options = lettered.map(({ text, others }) => ({ text, others: others.slice(0, count) }))
    const query = sloppyPhrase(options, slop, budget)
    if (query !== null) return query
  }
  const written = words.map(({ text }) => ({ text, others: [] }))
  return adjacentPhrase(written, budget)
}

/**
 * Words side by side. PostgreSQL splits quoted text as it splits casts, which depends on its locale: words
 * without alternatives stay in one quotation, so that a sign between them counts as it does in the index.
 */
function adjacentPhrase(words: readonly WordOptions[], budget: OperandBudget): string {
  const parts: string[] = []
  let run: string[] = []
  const endRun = () => {
    if (run.some(hasLetters)) parts.push(`'${run.join(' ')}'`)
    run = []
  }
  for (const { text, others } of words) {
    const affordable = budget.takeFirst(others)
    if (affordable.length === 0 && text.endsWith("'")) run.push(text.slice(1, -1))
    else {
      endRun()
      parts.push(anyWord([text, ...affordable]))
    }
  }
  endRun()
  return parts.join(' <-> ')
}

/**
 * A phrase with up to `slop` other words in it. Two words may also be swapped, which counts as 2. PostgreSQL
 * has operators for exact distances only, so that all arrangements are listed: a slop with too many is lowered.
 * Null if the budget does not have the operands.
 */
function sloppyPhrase(words: readonly WordOptions[], slop: number, budget: OperandBudget): string | null {
  const gapCount = words.length - 1
  let allowed = Math.min(slop, MAX_ARRANGEMENTS / 2 - 1)
  while (countArrangements(gapCount, allowed) > MAX_ARRANGEMENTS) allowed -= 1
  const swappedCount = words.length === 2 ? Math.max(0, allowed - 1) : 0
  const wordCount = words.reduce((sum, { others }) => sum + 1 + others.length, 0)
  const operandCount = (countArrangements(gapCount, allowed) + swappedCount) * wordCount
  if (!budget.takeAll(operandCount - words.length)) return null
  const texts = words.map(({ text, others }) => anyWord([text, ...others]))
  const arrangements = spread(gapCount, allowed).map((gaps) =>
    texts.map((text, index) => (index === 0 ? text : `<${gaps[index - 1]! + 1}> ${text}`)).join(' '),
  )
  const [first, second] = texts
  const swapped = Array.from({ length: swappedCount }, (_, gap) => `${second} <${gap + 1}> ${first}`)
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
