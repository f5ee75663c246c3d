import { languageOf } from './lexicon.js'
import type { Random } from './random.js'

/** A text with mentions, as a cast holds it: the mentioned names are not in it. */
export interface MentionText {
  readonly text: string
  /** Byte offsets in the text at which the mentions stand, ascending. */
  readonly positions: readonly number[]
}

/** Stands for a mention until positions are counted. No template holds it. */
const MENTION = '\u0000'

/** What the slots of a template are filled from. */
export interface Vocabulary {
  readonly words?: Readonly<Record<string, readonly string[]>>
  readonly city: string
  readonly language: string
}

/** "a" in front of a vowel, as filling in words may have left it. */
const ARTICLE = /\b([aA]) (?=[aeio])(?!one\b)/g

/** Alternately text and the name of a slot, as `split` with a group gives them. */
const compiled = new Map<string, readonly string[]>()

/** Fills the slots of a template: `{word}` of the vocabulary, `{n}`, `{digit}`, `{day}`, `{city}`, `{@}`. */
export function fill(template: string, vocabulary: Vocabulary, random: Random): string {
  let parts = compiled.get(template)
  if (parts === undefined) {
    parts = template.split(/\{([\w@]+)\}/)
    compiled.set(template, parts)
  }
  let text = parts[0]!
  for (let index = 1; index < parts.length; index += 2) {
    text += slot(parts[index]!, vocabulary, random) + parts[index + 1]!
  }
  return vocabulary.language === 'en' ? text.replace(ARTICLE, '$1n ') : text
}

function slot(name: string, { words, city, language }: Vocabulary, random: Random): string {
  switch (name) {
    case 'n':
      return String(random.between(2, 12))
    case 'digit':
      return String(random.below(10))
    case 'day':
      return random.pick(languageOf(language).days)
    case 'city':
      return city
    case '@':
      return MENTION
    default: {
      const choices = words?.[name]
      if (choices === undefined) throw new Error(`no words for the slot {${name}}`)
      return random.pick(choices)
    }
  }
}

/** How many mentions a filled text has places for. */
export function countMentions(filled: string): number {
  return filled.split(MENTION).length - 1
}

/** Takes the mentions out of a filled text and counts where they stand, in bytes of UTF-8. */
export function placeMentions(filled: string): MentionText {
  const parts = filled.split(MENTION)
  const positions: number[] = []
  let sizeBytes = 0
  for (const part of parts.slice(0, -1)) {
    sizeBytes += Buffer.byteLength(part)
    positions.push(sizeBytes)
  }
  return { text: parts.join(''), positions }
}

/** `text` without accents, blanks and marks, as it may stand in a path or a name. */
export function slug(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ı/g, 'i')
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
}

/** The start of a text that fits into so many bytes of UTF-8, whole characters only. */
export function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text
  let kept = ''
  let sizeBytes = 0
  for (const character of text) {
    sizeBytes += Buffer.byteLength(character)
    if (sizeBytes > maxBytes) break
    kept += character
  }
  return kept.trimEnd()
}
