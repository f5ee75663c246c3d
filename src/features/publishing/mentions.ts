/** A piece of a text: `text.slice(start, end)`. */
interface TextRange {
  readonly start: number
  readonly end: number
}

/** A place where a text may speak to somebody. */
export interface MentionCandidate extends TextRange {
  /** The names that it could be, without the `@`, the longest first. */
  readonly names: readonly string[]
}

/** A text as the protocol has it: without the names of those it mentions. */
export interface StrippedText {
  readonly text: string
  readonly mentions: readonly number[]
  /** Byte offsets in the UTF-8 text, as many as mentions. */
  readonly mentionsPositions: readonly number[]
}

/**
 * `@` and a name: an fname, `name.eth` or `name.base.eth` (docs/protocol.md §3.3.8), in small letters, as names are. Not part of a
 * word, of an email address (`me@alice`), of an address elsewhere (`@alice@host`, `@alice.com`), or of a path or a
 * package (`/@alice`, `@alice/core`).
 */
const namePattern =
  /(?<![\p{L}\p{N}\p{M}_@/+%])@([a-z0-9][a-z0-9-]{0,15}(?:(?:\.base)?\.eth)?)(?![\p{L}\p{N}\p{M}_@-]|[./][\p{L}\p{N}])/gu

const urlPattern = /https?:\/\/\S+/giu
const backtickRun = /`+/g

/** Where a text has the form of a mention, outside of code and URLs. Who is there to be mentioned is another matter. */
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
 * Takes the names out of a text that speak of users.
 *
 * @param fidOf The user who is shown by a name; undefined for nobody. When the text is read, the name that the user
 * is shown by is put in again, so the text that was given comes out.
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

/** A hyphen at the end may belong to the name or to the sentence. */
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

/** What stands between as many backticks as before it: `` `code` ``, or a block of it. */
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
