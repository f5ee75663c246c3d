import type { TextRange } from '../../graph/view/schema/primitives.js'
import type { CastAddBody } from '../../protocol/definitions.js'

/** A range that may be a mention. */
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

/** Those that begin in none of the ranges. Both are in the order of the text; ranges do not overlap. */
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

/**
 * Removes the names of users from a text.
 *
 * Rendering puts each user's shown name back, so the original text results.
 */
export function stripMentions(
  text: string,
  candidates: readonly MentionCandidate[],
  fidByName: ReadonlyMap<string, number>,
): Pick<CastAddBody, 'text' | 'mentions' | 'mentionsPositions'> {
  const mentions: number[] = []
  const mentionsPositions: number[] = []
  let rest = ''
  let offset = 0
  for (const { start, names } of candidates) {
    const name = names.find((each) => fidByName.has(each))
    if (name === undefined) continue
    rest += text.slice(offset, start)
    offset = start + 1 + name.length
    mentions.push(fidByName.get(name)!)
    mentionsPositions.push(Buffer.byteLength(rest))
  }
  return { text: rest + text.slice(offset), mentions, mentionsPositions }
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
