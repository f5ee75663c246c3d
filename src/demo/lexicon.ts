import { readFileSync } from 'node:fs'

/** A subject that users of the demo network post about. Its id is also the id of its channel. */
export interface Topic {
  readonly id: string
  /** Share of users who choose it, relative to other topics. */
  readonly weight: number
  readonly emoji: readonly string[]
  /** The words that replace `{name}` in the texts of the topic. */
  readonly words: Readonly<Record<string, readonly string[]>>
  readonly posts: readonly string[]
  /** Bios of users who choose the topic. */
  readonly bios: readonly string[]
  /** Paths of linked pages, below the site of the topic. */
  readonly pages: readonly string[]
}

/** Texts and names in one language. */
export interface Language {
  /** ISO 639-1. */
  readonly id: string
  /** The channel for posts without a topic. */
  readonly channel: string
  /** Days of the week, from Monday. */
  readonly days: readonly string[]
  readonly given: readonly string[]
  readonly family: readonly string[]
  readonly posts: readonly string[]
  readonly replies: readonly string[]
  /** Text above a quoted cast. */
  readonly quotes: readonly string[]
  /** Text above a picture or a link. */
  readonly captions: readonly string[]
  /** A second sentence that fits after any other. */
  readonly tails: readonly string[]
  /** `{@}` is replaced by a mention. */
  readonly mentions: readonly string[]
  readonly bios: readonly string[]
}

/** A city that users of the demo network live in. */
export interface City {
  readonly name: string
  /** Degrees, two decimals: the precision of a profile's location. */
  readonly latitude: number
  readonly longitude: number
  /** Hours by which local time is ahead of UTC. */
  readonly utcOffsetHours: number
  /** ISO 639-1. Users of every city also write English. */
  readonly language: string
}

/** The order of a list is part of a demo: a seed selects by index. */
export const topics = read<readonly Topic[]>('topics')
export const cities = read<readonly City[]>('cities')

/** Words that invented usernames are made of. */
export const handles = read<{ readonly first: readonly string[]; readonly second: readonly string[] }>(
  'handles',
)

const languages: ReadonlyMap<string, Language> = new Map(
  Object.entries(read<Record<string, Omit<Language, 'id'>>>('languages')).map(([id, texts]) => [
    id,
    { id, ...texts },
  ]),
)

export const languageIds: readonly string[] = [...languages.keys()]

/** The texts of a language of the data files. */
export function languageOf(id: string): Language {
  return languages.get(id)!
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`data/${name}.json`, import.meta.url), 'utf8')) as T
}
