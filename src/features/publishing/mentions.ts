/** A range of a text: `text.slice(start, end)`. */
interface TextRange {
  readonly start: number
  readonly end: number
}

/** A range that may be a mention. */
export interface MentionCandidate extends TextRange {
  /** Possible names without the `@`, longest first. */
  readonly names: readonly string[]
}

/** A text in the protocol's form: without the names of mentioned users. */
export interface StrippedText {
  readonly text: string
  readonly mentions: readonly number[]
  /** Byte offsets in the UTF-8 text, one per mention. */
  readonly mentionsPositions: readonly number[]
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
const backtickRun = /`+/g

/** Finds possible mentions outside of code and URLs. Does not check that the users exist. */
export function mentionCandidates(text: string): MentionCandidate[] {
  if (!text.includes('@')) return []
  const excludedRanges = [...codeRanges(text), ...urlRanges(text)]
  return Array.from(text.matchAll(namePattern), ({ 0: whole, 1: name = '', index }) => ({
    start: index,
    end: index + whole.length,
    names: nameVariants(name),
  })).filter(({ start }) => !excludedRanges.some((piece) => piece.start <= start && start < piece.end))
}

/**
 * Removes the names of users from a text.
 *
 * Rendering puts each user's shown name back, so the original text results.
 *
 * @param fidOf Returns the user shown by a name; undefined for none.
 */
export function stripMentions(
  text: string,
  candidates: readonly MentionCandidate[],
  fidOf: (name: string) => number | undefined,
): StrippedText {
  const mentions: number[] = []
  const mentionsPositions: number[] = []
  let rest = ''
  let offset = 0
  for (const { start, names } of candidates) {
    const name = names.find((each) => fidOf(each) !== undefined)
    if (name === undefined) continue
    rest += text.slice(offset, start)
    offset = start + 1 + name.length
    mentions.push(fidOf(name)!)
    mentionsPositions.push(Buffer.byteLength(rest))
  }
  return { text: rest + text.slice(offset), mentions, mentionsPositions }
}

/** Returns the name with and without trailing hyphens, which may belong to the sentence. */
function nameVariants(name: string): string[] {
  const trimmed = name.replace(/-+$/, '')
  return trimmed === name ? [name] : [name, trimmed]
}

function urlRanges(text: string): TextRange[] {
  return Array.from(text.matchAll(urlPattern), ({ 0: url, index }) => ({
    start: index,
    end: index + url.length,
  }))
}

/** Finds code: text between equally long runs of backticks. */
function codeRanges(text: string): TextRange[] {
  const runs = Array.from(text.matchAll(backtickRun), ({ 0: ticks, index }) => ({
    start: index,
    length: ticks.length,
  }))
  const spans: TextRange[] = []
  for (let open = 0; open < runs.length; open += 1) {
    const { start, length } = runs[open]!
    const close = runs.findIndex((run, index) => index > open && run.length === length)
    if (close < 0) continue
    spans.push({ start, end: runs[close]!.start + length })
    open = close
  }
  return spans
}
