import type { TextRange } from './schema/primitives.js'

/** A text as clients get it, and the ranges of its mentions. */
export interface MentionedText {
  readonly text: string
  /** The fid and range of each mention that has a username. */
  readonly mentions: readonly { readonly fid: number; readonly range: TextRange }[]
}

/**
 * Inserts `@name` into a text at its mentions. In the protocol the text has no names, and positions are in
 * UTF-8 bytes. Ranges are in UTF-16 code units of JavaScript strings, start inclusive, end exclusive, so that
 * `text.slice(start, end)` is the mention.
 *
 * @param nameOf The name to insert, without the `@`; undefined for an unknown user, who gets `@!fid` in the
 *   text and no range.
 */
export function insertMentions(
  text: string,
  fids: readonly number[],
  bytePositions: readonly number[],
  nameOf: (fid: number) => string | undefined,
): MentionedText {
  if (fids.length === 0) return { text, mentions: [] }
  const bytes = Buffer.from(text)
  const mentions: { fid: number; range: TextRange }[] = []
  let result = ''
  let sliceStart = 0
  for (const [index, fid] of fids.entries()) {
    const position = characterEnd(bytes, bytePositions[index] ?? bytes.length)
    result += bytes.toString('utf8', sliceStart, position)
    sliceStart = position
    const name = nameOf(fid)
    const start = result.length
    result += name === undefined ? `@!${fid}` : `@${name}`
    if (name !== undefined) mentions.push({ fid, range: { start, end: result.length } })
  }
  return { text: result + bytes.toString('utf8', sliceStart), mentions }
}

/**
 * The position, or the end of the character that it is within: the protocol allows such positions. The index of a search has the
 * mention there, too (`search.words_with_mentions`).
 */
function characterEnd(bytes: Buffer, position: number): number {
  const isWithin = ((bytes[position] ?? 0) & 0xc0) === 0x80
  return isWithin ? characterEnd(bytes, position + 1) : position
}

/** The id of a channel that a text mentions, and its range. */
export interface ChannelMention {
  readonly name: string
  readonly range: TextRange
}

/** `/channel` at the start of a word. */
const channelPattern = /(?<=^|[\s(])\/([a-z0-9-]{1,16})(?![\p{L}\p{N}_/-])/gu

/** The `/channels` in a text; ranges include the `/`. */
export function channelMentions(text: string): ChannelMention[] {
  return Array.from(text.matchAll(channelPattern), (match) => ({
    name: match[1]!,
    range: { start: match.index, end: match.index + match[0].length },
  }))
}
