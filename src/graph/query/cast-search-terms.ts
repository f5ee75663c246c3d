/**
 * Parses the text of a search box:
 *
 *     garden soil      both        "wet soil"   the phrase       -sand        not this
 *     garden | soil    either      gard*        a prefix         (a | b) c    grouped
 *     from:alice       by alice    -from:bob          not by bob; several names: by any of them
 *     after:2026-10-01             before:2026-11-01  several dates: the narrowest range
 *     🌱               an emoji    日本                a part of a text without spaces
 *
 * Every text is valid: signs that make no sense in their place are ignored.
 */
export interface SearchTerms {
  /** For `to_tsquery('simple', …)`; null when the text has no words. */
  readonly tsquery: string | null
  /** Lowercase. Casts of any of these users; empty for all users. */
  readonly usernames: readonly string[]
  /** Lowercase. Casts of none of these users. */
  readonly notUsernames: readonly string[]
  /** Unix milliseconds, inclusive. */
  readonly afterMs: number | null
  /** Unix milliseconds, exclusive. */
  readonly beforeMs: number | null
}

/** PostgreSQL does not index words longer than 2046 bytes; this limit is far below. */
const MAX_WORD_LENGTH = 200

/** A sign, a phrase, or a word with the sign directly before it. */
const token = /(-)?"([^"]*)"?|(-(?=\())|([()|])|([^\s()|"]+)/gu

/** Quotation marks that phones type in place of `"`. */
const curlyQuotes = /[“”„]/gu

/** Parses `q`. */
export function searchTerms(q: string): SearchTerms {
  const reader = new TermReader(Array.from(q.replace(curlyQuotes, '"').matchAll(token), readToken))
  const tsquery = reader.readAll()
  return { tsquery, ...reader.filters }
}

type Token =
  | { readonly sign: '(' | ')' | '|' | 'not(' }
  | { readonly words: string; readonly isNegative: boolean; readonly isPrefix: boolean }

function readToken([, negativePhrase, phrase, notGroup, sign, word = '']: RegExpMatchArray): Token {
  if (phrase !== undefined)
    return { words: phrase, isNegative: negativePhrase !== undefined, isPrefix: false }
  if (notGroup !== undefined) return { sign: 'not(' }
  if (sign !== undefined) return { sign: sign as '(' | ')' | '|' }
  const isNegative = word.startsWith('-')
  const withoutSign = word.replace(/^[-+]+/, '')
  const isPrefix = withoutSign.endsWith('*')
  return { words: withoutSign.replace(/\*+$/, ''), isNegative, isPrefix }
}

interface Filters {
  usernames: string[]
  notUsernames: string[]
  afterMs: number | null
  beforeMs: number | null
}

/** Reads the tokens once. Groups are on a stack, so that no depth overflows. */
class TermReader {
  readonly filters: Filters = { usernames: [], notUsernames: [], afterMs: null, beforeMs: null }

  constructor(readonly tokens: readonly Token[]) {}

  readAll(): string | null {
    let group = new Group(false)
    const outer: Group[] = []
    const close = () => {
      const closed = group
      group = outer.pop()!
      group.add(closed.toText(), closed.isNegative)
    }
    for (const each of this.tokens) {
      if (!('sign' in each)) {
        if (!this.#readFilter(each.words, each.isNegative)) group.add(termText(each), each.isNegative)
      } else if (each.sign === '|') group.or()
      else if (each.sign !== ')') {
        outer.push(group)
        group = new Group(each.sign === 'not(')
      } else if (outer.length > 0) close()
    }
    while (outer.length > 0) close()
    return group.toText()
  }

  #readFilter(words: string, isNegative: boolean): boolean {
    const [, name, value = ''] = /^(from|before|after):(.+)$/i.exec(words) ?? []
    if (name === undefined) return false
    const { filters } = this
    if (name.toLowerCase() === 'from') {
      const names = isNegative ? filters.notUsernames : filters.usernames
      names.push(value.replace(/^@/, '').toLowerCase())
      return true
    }
    const ms = momentOf(value)
    if (isNegative || ms === null) return false
    if (name.toLowerCase() === 'after') filters.afterMs = Math.max(ms, filters.afterMs ?? ms)
    else filters.beforeMs = Math.min(ms, filters.beforeMs ?? ms)
    return true
  }
}

/** Unix milliseconds of a date, or of a date and time; UTC without a zone. Null for other texts. */
function momentOf(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}/.test(text)) return null
  const ms = Date.parse(/T[\d:.]+$/i.test(text) ? `${text}Z` : text)
  return Number.isNaN(ms) ? null : ms
}

/** Alternatives; each is a list of terms that must all match. */
class Group {
  readonly #alternatives: string[][] = [[]]

  constructor(readonly isNegative: boolean) {}

  or(): void {
    this.#alternatives.push([])
  }

  add(text: string | null, isNegative: boolean): void {
    if (text !== null) this.#alternatives.at(-1)!.push(isNegative ? `!${text}` : text)
  }

  toText(): string | null {
    const alternatives = this.#alternatives
      .filter((terms) => terms.length > 0)
      .map((terms) => terms.join(' & '))
    if (alternatives.length === 0) return null
    return alternatives.length === 1
      ? `(${alternatives[0]})`
      : `(${alternatives.map((each) => `(${each})`).join(' | ')})`
  }
}

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

/** The query of a word, a phrase, or emoji; null when there is nothing to search for. */
function termText({ words, isPrefix }: Extract<Token, { words: string }>): string | null {
  const plain = words.replace(sign, ' ').replace(standaloneCharacter, ' $& ')
  const emojiWords = (words.match(emoji) ?? []).map(emojiToken)
  const terms = [...(/[\p{L}\p{N}]/u.test(plain) ? [phraseText(plain, isPrefix)] : []), ...emojiWords]
  if (terms.length === 0) return null
  return terms.length === 1 ? terms[0]! : `(${terms.join(' & ')})`
}

/** PostgreSQL splits the words inside quotes and makes a phrase of several. */
function phraseText(words: string, isPrefix: boolean): string {
  const short = words
    .split(/\s+/)
    .map((word) => Array.from(word).slice(0, MAX_WORD_LENGTH).join(''))
    .join(' ')
  const quoted = `'${short.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
  return isPrefix ? `${quoted}:*` : quoted
}
