import type { FilterEntry, PatternMember } from './filter-entry.js'
import { foldText, MIN_LITERAL_LENGTH, requiredLiterals } from './required-literals.js'

/** Characters of a gram. Literals of `MIN_LITERAL_LENGTH` are shorter and are their own gram. */
const GRAM_LENGTH = 3

interface IndexedLiteral {
  readonly literal: string
  readonly entry: FilterEntry
}

/**
 * The regular expressions of one filter member, indexed by literals that a matching text must contain.
 *
 * Each literal is filed under one of its grams, the least used one, so that common beginnings such as `https://` do
 * not fill one list. Expressions without required literals run for every event that no other member decides.
 */
export class PatternIndex {
  readonly #member: PatternMember
  readonly #grams = new Map<string, IndexedLiteral[]>()
  readonly #gramsByEntry = new Map<FilterEntry, readonly string[]>()
  readonly #withoutLiterals = new Set<FilterEntry>()

  constructor(member: PatternMember) {
    this.#member = member
  }

  add(entry: FilterEntry): void {
    const source = entry.filter[this.#member]
    if (entry.patterns[this.#member] === null || source === undefined) return
    const literals = requiredLiterals(source)
    if (literals === null) {
      this.#withoutLiterals.add(entry)
      return
    }
    const grams = literals.map((literal) => {
      const gram = this.#leastUsedGram(literal)
      const indexed = this.#grams.get(gram)
      if (indexed === undefined) this.#grams.set(gram, [{ literal, entry }])
      else indexed.push({ literal, entry })
      return gram
    })
    this.#gramsByEntry.set(entry, grams)
  }

  remove(entry: FilterEntry): void {
    this.#withoutLiterals.delete(entry)
    for (const gram of this.#gramsByEntry.get(entry) ?? []) {
      const remaining = this.#grams.get(gram)?.filter((indexed) => indexed.entry !== entry) ?? []
      if (remaining.length === 0) this.#grams.delete(gram)
      else this.#grams.set(gram, remaining)
    }
    this.#gramsByEntry.delete(entry)
  }

  /** Calls once for each entry that may match one of the texts, with a function that decides. */
  search(texts: readonly string[], onCandidate: (entry: FilterEntry, isMatch: () => boolean) => void): void {
    if (texts.length === 0) return
    const candidates = new Set(this.#withoutLiterals)
    if (this.#grams.size > 0) {
      for (const text of texts) this.#addCandidates(foldText(text), candidates)
    }
    for (const entry of candidates) {
      onCandidate(entry, () => texts.some((text) => entry.patterns[this.#member]?.test(text)))
    }
  }

  #addCandidates(folded: string, candidates: Set<FilterEntry>): void {
    for (const gram of gramsOf(folded)) {
      for (const { literal, entry } of this.#grams.get(gram) ?? []) {
        if (folded.includes(literal)) candidates.add(entry)
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
