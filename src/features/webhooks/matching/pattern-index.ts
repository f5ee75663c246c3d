import type { Entry, PatternMember } from './entry.js'
import { createLiteralIndex, type LiteralIndex } from './literal-index.js'
import { requiredLiterals } from './required-literals.js'

/**
 * The regular expressions of one member. Most hold a word that a text must have for them to match: these are found
 * by one pass over the text, whatever their number. The others are run for every event that nothing else decides.
 */
export class PatternIndex {
  readonly #member: PatternMember
  /** With the pieces of which a text must hold one. */
  readonly #worded = new Map<Entry, readonly string[]>()
  readonly #wordless = new Set<Entry>()
  #index: LiteralIndex<Entry> | null = null

  constructor(member: PatternMember) {
    this.#member = member
  }

  add(entry: Entry): void {
    const source = entry.filter[this.#member]
    if (entry.patterns[this.#member] === null || source === undefined) return
    const pieces = requiredLiterals(source)
    if (pieces === null) this.#wordless.add(entry)
    else this.#worded.set(entry, pieces)
    // Made anew when it is next needed.
    if (pieces !== null) this.#index = null
  }

  remove(entry: Entry): void {
    this.#wordless.delete(entry)
    if (this.#worded.delete(entry)) this.#index = null
  }

  /** Calls for each entry that may find something in one of the texts, with a function that says whether it does. */
  search(texts: readonly string[], decide: (entry: Entry, finds: () => boolean) => void): void {
    if (texts.length === 0) return
    const finds = (entry: Entry) => () => texts.some((text) => entry.patterns[this.#member]?.test(text))
    for (const entry of this.#wordless) decide(entry, finds(entry))
    if (this.#worded.size === 0) return
    this.#index ??= createLiteralIndex(
      [...this.#worded].flatMap(([entry, pieces]) => pieces.map((piece) => [piece, entry] as const)),
    )
    const asked = new Set<Entry>()
    for (const text of texts) {
      this.#index.search(text, (entry) => {
        if (asked.has(entry)) return
        asked.add(entry)
        decide(entry, finds(entry))
      })
    }
  }
}
