import { languageOf } from './lexicon.js'
import type { Random } from './random.js'

/** The text of a cast without the mentioned names. */
export interface MentionText {
  readonly text: string
  /** Byte offsets of the mentions, ascending. */
  readonly positions: readonly number[]
}

/** Placeholder of a mention in a filled text. No template contains it. */
const MENTION = '\u0000'

/** Values for the slots of a template. */
export interface Vocabulary {
  readonly words?: Readonly<Record<string, readonly string[]>>
  readonly city: string
  readonly language: string
}

/** "a" before a vowel, which filling in words may produce. */
const ARTICLE = /\b([aA]) (?=[aeio])(?!one\b)/g

/** Templates split into alternating texts and slot names. */
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

/** Counts the mentions in a filled text. */
export function countMentions(filled: string): number {
  return filled.split(MENTION).length - 1
}

/** Removes the mentions from a filled text and returns their offsets in bytes of UTF-8. */
export function extractMentions(filled: string): MentionText {
  const parts = filled.split(MENTION)
  const positions: number[] = []
  let sizeBytes = 0
  for (const part of parts.slice(0, -1)) {
    sizeBytes += Buffer.byteLength(part)
    positions.push(sizeBytes)
  }
  return { text: parts.join(''), positions }
}

/** Converts a text to a form for paths and names, without accents, spaces and punctuation. */
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

/** Returns the start of a text with at most `maxBytes` bytes of UTF-8, without splitting a character. */
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
