import type { RE2JS } from 're2js'
import { compilePattern } from './filters.js'
import { releasePattern, testPattern } from './pattern-caches.js'

/** Shorter literals occur in almost every text. */
const MIN_LITERAL_LENGTH = 2
/** Characters of a gram. Literals of `MIN_LITERAL_LENGTH` are shorter and are their own gram. */
const GRAM_LENGTH = 3
/** A longer list of alternatives selects little. */
const MAX_LITERALS = 64

/**
 * Regular expressions, indexed by literals that a matching text must contain. Each literal is filed under one of its
 * grams, the least used one, so that common beginnings such as `https://` do not fill one list. Expressions without
 * required literals run for every event that no other member decides.
 */
export class PatternIndex<Entry> {
  readonly #patterns = new Map<Entry, { readonly pattern: RE2JS; readonly grams: readonly string[] }>()
  readonly #grams = new Map<string, { readonly literal: string; readonly entry: Entry }[]>()
  readonly #withoutLiterals = new Set<Entry>()

  /** Adds an expression. An invalid one matches nothing: saving has validated it. */
  add(entry: Entry, source: string): void {
    const pattern = compilePattern(source)
    if ('problem' in pattern) return
    const literals = requiredLiterals(source)
    if (literals === null) this.#withoutLiterals.add(entry)
    const grams = (literals ?? []).map((literal) => {
      const gram = this.#leastUsedGram(literal)
      const indexed = this.#grams.get(gram)
      if (indexed === undefined) this.#grams.set(gram, [{ literal, entry }])
      else indexed.push({ literal, entry })
      return gram
    })
    this.#patterns.set(entry, { pattern, grams })
  }

  remove(entry: Entry): void {
    const known = this.#patterns.get(entry)
    if (known === undefined) return
    releasePattern(known.pattern)
    this.#withoutLiterals.delete(entry)
    for (const gram of known.grams) {
      const remaining = this.#grams.get(gram)?.filter((indexed) => indexed.entry !== entry) ?? []
      if (remaining.length === 0) this.#grams.delete(gram)
      else this.#grams.set(gram, remaining)
    }
    this.#patterns.delete(entry)
  }

  /** Calls once for each entry that may match one of the texts, with a function that decides. */
  search(texts: readonly string[], onCandidate: (entry: Entry, isMatch: () => boolean) => void): void {
    if (texts.length === 0) return
    const candidates = new Set(this.#withoutLiterals)
    if (this.#grams.size > 0) {
      for (const text of texts) this.#addCandidates(foldText(text), candidates)
    }
    for (const entry of candidates) {
      const { pattern } = this.#patterns.get(entry)!
      onCandidate(entry, () => texts.some((text) => testPattern(pattern, text)))
    }
  }

  #addCandidates(folded: string, candidates: Set<Entry>): void {
    // Each gram once: a text that repeats a few of them, beside filters that have them, took seconds.
    for (const gram of new Set(gramsOf(folded))) {
      for (const { literal, entry } of this.#grams.get(gram) ?? []) {
        if (!candidates.has(entry) && folded.includes(literal)) candidates.add(entry)
      }
    }
  }

  #leastUsedGram(literal: string): string {
    if (literal.length < GRAM_LENGTH) return literal
    const uses = (gram: string) => this.#grams.get(gram)?.length ?? 0
    return [...gramsOf(literal)]
      .filter(({ length }) => length === GRAM_LENGTH)
      .reduce((best, gram) => (uses(gram) < uses(best) ? gram : best))
  }
}

/** Yields the substrings of a text that may be grams, with repetitions. */
function* gramsOf(text: string): Generator<string> {
  for (let at = 0; at + MIN_LITERAL_LENGTH <= text.length; at += 1) {
    for (let length = MIN_LITERAL_LENGTH; length <= GRAM_LENGTH; length += 1) {
      yield text.slice(at, at + length)
    }
  }
}

/** Folds case: lowercase, with the two letters that RE2 folds to ASCII letters (long s, Kelvin sign) replaced. */
function foldText(text: string): string {
  return text.toLowerCase().replaceAll('ſ', 's')
}

/** The syntax from which literals are derived. Other syntax is rare; a brace, for example, may be literal. */
const items = [
  String.raw`(?<open>\((?:\?(?:[imsU]*(?:-[imsU]+)?:|P?<\w+>)|(?!\?)))`,
  String.raw`(?<close>\))`,
  String.raw`(?<bar>\|)`,
  // Flags, classes, and characters that stand for others.
  String.raw`\(\?[imsU]*(?:-[imsU]+)?\)|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\\[dDwWsSbBAzC]|[.^$]`,
  String.raw`\\(?<escaped>[^a-zA-Z0-9])`,
  String.raw`(?<plain>[^*+?{\\[(])`,
]
const itemPattern = new RegExp(
  String.raw`(?:${items.join('|')})(?<repetition>(?:[*+?]|\{(?<minimum>\d+)(?:,\d*)?\})\??)?`,
  'gsy',
)

/** Flags are nothing that could be repeated: RE2 repeats what stands before them. */
const repeatedFlags = /\(\?[imsU-]+\)(?:[*+?]|\{\d)/

/**
 * Returns literals of which a text must contain one for a regular expression to match. Literals and texts are compared
 * folded (`foldText`), so flags do not matter. Null when none can be derived, which is always correct.
 */
export function requiredLiterals(source: string): readonly string[] | null {
  if (repeatedFlags.test(source)) return null
  const found = [...source.matchAll(itemPattern)]
  if (found.map(([item]) => item).join('') !== source) return null
  return literalsOf(found[Symbol.iterator]())
}

/** Reads alternatives up to their closing parenthesis. Of each one counts the item whose shortest literal is longest. */
function literalsOf(reader: IterableIterator<RegExpMatchArray>): readonly string[] | null {
  const literals: string[] = []
  let isKnown = true
  let best: readonly string[] = []
  let run = ''
  const endRun = (group: readonly string[] | null = null) => {
    for (const option of [run.length < MIN_LITERAL_LENGTH ? [] : [run], group ?? []]) {
      if (shortestLength(option) > shortestLength(best)) best = option
    }
    run = ''
  }
  const endAlternative = () => {
    endRun()
    literals.push(...best)
    isKnown &&= best.length > 0
    best = []
  }
  for (let next = reader.next(); !next.done; next = reader.next()) {
    const { open, close, bar, escaped, plain = escaped, repetition, minimum } = next.value.groups!
    if (close) {
      // A group that may be missing requires nothing.
      if (repetition && !repetition.startsWith('+') && Number(minimum ?? 0) === 0) isKnown = false
      break
    }
    if (open) endRun(literalsOf(reader))
    else if (bar) endAlternative()
    // Letters outside ASCII fold in more ways than `foldText`.
    else if (plain && !repetition && plain.charCodeAt(0) < 0x80) run += foldText(plain)
    else endRun()
  }
  endAlternative()
  return isKnown && literals.length <= MAX_LITERALS ? literals : null
}

function shortestLength(literals: readonly string[]): number {
  return literals.length === 0 ? 0 : Math.min(...literals.map(({ length }) => length))
}
