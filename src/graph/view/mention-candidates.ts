import type { TextRange } from './schema/primitives.js'

/** A range of a text that may be a mention: of a cast to publish, a bio or a description. */
export interface MentionCandidate extends TextRange {
  /** Possible names without the `@`, longest first. */
  readonly names: readonly string[]
}

/**
 * `@` and a lowercase name: an fname, `name.eth` or `name.base.eth` (docs/protocol.md §3.3.8).
 *
 * Not part of a word, an email address (`me@alice`), a foreign handle (`@alice@host`, `@alice.com`), or a
 * path or package (`/@alice`, `@alice/core`).
 */
const namePattern =
  /(?<![\p{L}\p{N}\p{M}_@/+%])@([a-z0-9][a-z0-9-]{0,15}(?:(?:\.base)?\.eth)?)(?![\p{L}\p{N}\p{M}_@-]|[./][\p{L}\p{N}])/gu

const urlPattern = /https?:\/\/\S+/giu

/** Finds possible mentions outside of code and URLs. Does not check that the users exist. */
export function mentionCandidates(text: string): MentionCandidate[] {
  if (!text.includes('@')) return []
  const candidates = Array.from(text.matchAll(namePattern), ({ 0: whole, 1: name = '', index }) => ({
    start: index,
    end: index + whole.length,
    names: nameVariants(name),
  }))
  return outsideOf(rangesOf(text, urlPattern), outsideOf(codeRanges(text), candidates))
}

/** Keeps those that begin in none of the ranges. Both are in the order of the text; ranges do not overlap. */
function outsideOf(
  ranges: readonly TextRange[],
  candidates: readonly MentionCandidate[],
): MentionCandidate[] {
  let next = 0
  return candidates.filter(({ start }) => {
    while (next < ranges.length && ranges[next]!.end <= start) next += 1
    return next === ranges.length || start < ranges[next]!.start
  })
}

/** The candidates whose name is known, in order. Of the possible names of one the longest counts. Ranges include the `@`. */
export function knownMentions<Known>(
  candidates: readonly MentionCandidate[],
  byName: ReadonlyMap<string, Known>,
): { readonly user: Known; readonly range: TextRange }[] {
  return candidates.flatMap(({ start, names }) => {
    const name = names.find((each) => byName.has(each))
    return name === undefined
      ? []
      : [{ user: byName.get(name)!, range: { start, end: start + 1 + name.length } }]
  })
}

/** Returns the name with and without trailing hyphens, which may belong to the sentence. */
function nameVariants(name: string): string[] {
  const trimmed = name.replace(/-+$/, '')
  return trimmed === name ? [name] : [name, trimmed]
}

function rangesOf(text: string, pattern: RegExp): TextRange[] {
  return Array.from(text.matchAll(pattern), ({ 0: match, index: start }) => ({
    start,
    end: start + match.length,
  }))
}

/** Finds code: text between equally long runs of backticks. */
function codeRanges(text: string): TextRange[] {
  const runs = rangesOf(text, /`+/g).map(({ start, end }) => ({ start, length: end - start }))
  /** For each run the next one of its length. */
  const closes: (number | undefined)[] = []
  const seen = new Map<number, number>()
  for (let index = runs.length - 1; index >= 0; index -= 1) {
    closes[index] = seen.get(runs[index]!.length)
    seen.set(runs[index]!.length, index)
  }
  const spans: TextRange[] = []
  for (let open = 0; open < runs.length; open += 1) {
    const { start, length } = runs[open]!
    const close = closes[open]
    if (close === undefined) continue
    spans.push({ start, end: runs[close]!.start + length })
    open = close
  }
  return spans
}
