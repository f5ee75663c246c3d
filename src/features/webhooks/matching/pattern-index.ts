import type { FilterEntry, PatternMember } from './filter-entry.js'
import { createLiteralIndex, type LiteralIndex } from './literal-index.js'
import { requiredLiterals } from './required-literals.js'

/**
 * The regular expressions of one member. Most hold a word that a text must have for them to match: these are found
 * by one pass over the text, whatever their number. The others are run for every event that nothing else decides.
 */
export class PatternIndex {
  readonly #member: PatternMember
  /** With the pieces of which a text must hold one. */
  readonly #withLiterals = new Map<FilterEntry, readonly string[]>()
  readonly #withoutLiterals = new Set<FilterEntry>()
  #index: LiteralIndex<FilterEntry> | null = null

  constructor(member: PatternMember) {
    this.#member = member
  }

  add(entry: FilterEntry): void {
    const source = entry.filter[this.#member]
    if (entry.patterns[this.#member] === null || source === undefined) return
    const literals = requiredLiterals(source)
    if (literals === null) this.#withoutLiterals.add(entry)
    else this.#withLiterals.set(entry, literals)
    // Made anew when it is next needed.
    if (literals !== null) this.#index = null
  }

  remove(entry: FilterEntry): void {
    this.#withoutLiterals.delete(entry)
    if (this.#withLiterals.delete(entry)) this.#index = null
  }

  /** Calls for each entry that may find something in one of the texts, with a function that says whether it does. */
  search(texts: readonly string[], onCandidate: (entry: FilterEntry, isMatch: () => boolean) => void): void {
    if (texts.length === 0) return
    const isMatch = (entry: FilterEntry) => () =>
      texts.some((text) => entry.patterns[this.#member]?.test(text))
    for (const entry of this.#withoutLiterals) onCandidate(entry, isMatch(entry))
    if (this.#withLiterals.size === 0) return
    this.#index ??= createLiteralIndex(
      [...this.#withLiterals].flatMap(([entry, literals]) =>
        literals.map((literal) => [literal, entry] as const),
      ),
    )
    const visited = new Set<FilterEntry>()
    for (const text of texts) {
      this.#index.search(text, (entry) => {
        if (visited.has(entry)) return
        visited.add(entry)
        onCandidate(entry, isMatch(entry))
      })
    }
  }
}
