import { parseIsoTime } from '../../platform/text/parse-iso-time.js'
import {
  type Alternatives,
  OperandBudget,
  phraseQuery,
  type SearchPhrase,
  type SearchWord,
} from './search-words.js'

/**
 * Parses the text of a search box:
 *
 *     garden soil      both        "wet soil"   the phrase       -sand        not this
 *     garden+soil      both
 *     garden | soil    either      gard*        a prefix         (a | b) c    grouped
 *     gardn~1          at most so many letters differ            "wet soil"~2 at most so many words between
 *     from:alice       by alice    -from:bob          not by bob; several names: by any of them
 *     after:2026-10-01             before:2026-11-01  several dates: the narrowest range
 *     🌱               an emoji    日本                a part of a text without spaces
 *
 * Every text is valid: signs that make no sense in their place are ignored. A filter counts for the whole search, also
 * inside a group; in a negative group it is negative. A negative date is ignored.
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
  /** The words of the query, in its order. */
  readonly words: readonly SearchWord[]
  /** The text without filters, for a search by meaning. */
  readonly plainText: string
}

/** A sign, a phrase, a moment, which may have a `+` for its zone, or a word; with the `-` directly before it. */
const token =
  /(?:(-)\+*)?"([^"]*)(?:"(?:~(\d+))?)?|(-\+*\()|([()|])|(-?(?:before|after):[^\s()|"+]+(?:\+\d[\d:]*)?|(?:-[-+]*)?[^\s()|"+]+)/giu

/** Quotation marks that phones type in place of `"`. */
const curlyQuotes = /[“”„]/gu

/** Parses `q`. `alternativesOf` returns more words that match in place of a word. */
export function searchTerms(q: string, alternativesOf: Alternatives = () => []): SearchTerms {
  const reader = new TermReader(
    Array.from(q.replace(curlyQuotes, '"').matchAll(token), readToken),
    alternativesOf,
  )
  const tsquery = reader.readAll()
  return { tsquery, ...reader.filters, words: reader.words, plainText: reader.plainTexts.join(' ') }
}

interface SignedPhrase extends SearchPhrase {
  readonly isNegative: boolean
}

type Token = { readonly sign: '(' | ')' | '|' | 'not(' } | SignedPhrase

function readToken([, negativePhrase, phrase, slop, notGroup, sign, word = '']: RegExpMatchArray): Token {
  if (phrase !== undefined) {
    const isNegative = negativePhrase !== undefined
    return { text: phrase, isQuoted: true, isNegative, isPrefix: false, tolerance: Number(slop ?? 0) }
  }
  if (notGroup !== undefined) return { sign: 'not(' }
  if (sign !== undefined) return { sign: sign as '(' | ')' | '|' }
  const isNegative = word.startsWith('-')
  const [, written = '', edits = '0'] = /^(.*?)(?:~(\d+))?$/su.exec(word.replace(/^[-+]+/, '')) ?? []
  const text = written.replace(/\*+$/, '')
  return { text, isQuoted: false, isNegative, isPrefix: text !== written, tolerance: Number(edits) }
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

  readonly words: SearchWord[] = []
  readonly plainTexts: string[] = []
  readonly #budget = new OperandBudget()

  constructor(
    readonly tokens: readonly Token[],
    readonly alternativesOf: Alternatives,
  ) {}

  readAll(): string | null {
    let group = new Group(false, false)
    const outer: Group[] = []
    const close = () => {
      const closed = group
      group = outer.pop()!
      group.addGroup(closed)
    }
    for (const each of this.tokens) {
      if (!('sign' in each)) {
        const isExcluded = each.isNegative !== group.isExcluded
        if (each.isQuoted || !this.#readFilter(each.text, isExcluded)) {
          if (!isExcluded) this.plainTexts.push(each.text)
          group.addPhrase(each, () => this.#readPhrase(each))
        }
      } else if (each.sign === '|') group.or()
      else if (each.sign !== ')') {
        outer.push(group)
        const isNegative = each.sign === 'not('
        group = new Group(isNegative, isNegative !== group.isExcluded)
      } else if (outer.length > 0) close()
    }
    while (outer.length > 0) close()
    return group.toText()
  }

  #readPhrase(phrase: SearchPhrase): string | null {
    const alternativesOf = (word: SearchWord) => {
      this.words.push(word)
      return this.alternativesOf(word)
    }
    return phraseQuery(phrase, alternativesOf, this.#budget)
  }

  #readFilter(words: string, isExcluded: boolean): boolean {
    const [, name, value = ''] = /^(from|before|after):(.+)$/i.exec(words) ?? []
    if (name === undefined) return false
    const { filters } = this
    if (name.toLowerCase() === 'from') {
      const names = isExcluded ? filters.notUsernames : filters.usernames
      names.push(value.replace(/^@/, '').toLowerCase())
      return true
    }
    const ms = parseIsoTime(value)
    if (ms === null) return false
    if (isExcluded) return true
    if (name.toLowerCase() === 'after') filters.afterMs = Math.max(ms, filters.afterMs ?? ms)
    else filters.beforeMs = Math.min(ms, filters.beforeMs ?? ms)
    return true
  }
}

/** Alternatives; each is a list of different terms that must all match. */
class Group {
  /** Terms by what was written. */
  readonly #alternatives: Map<string, string>[] = [new Map()]

  /** @param isExcluded Whether a word in it is to be absent: an odd number of groups is negative, this one included. */
  constructor(
    readonly isNegative: boolean,
    readonly isExcluded: boolean,
  ) {}

  or(): void {
    this.#alternatives.push(new Map())
  }

  /** Adds the query of a word or phrase, which is built unless there is an equal one. */
  addPhrase(phrase: SignedPhrase, build: () => string | null): void {
    const key = JSON.stringify(phrase)
    if (!this.#alternatives.at(-1)!.has(key)) this.#add(key, build(), phrase.isNegative)
  }

  addGroup(group: Group): void {
    const text = group.toText()
    this.#add(`${group.isNegative}${text}`, text, group.isNegative)
  }

  #add(key: string, text: string | null, isNegative: boolean): void {
    if (text !== null) this.#alternatives.at(-1)!.set(key, isNegative ? `!${text}` : text)
  }

  toText(): string | null {
    const texts = this.#alternatives
      .filter((terms) => terms.size > 0)
      .map((terms) => [...terms.values()].join(' & '))
    const alternatives = [...new Set(texts)]
    if (alternatives.length === 0) return null
    return alternatives.length === 1
      ? `(${alternatives[0]})`
      : `(${alternatives.map((each) => `(${each})`).join(' | ')})`
  }
}
