import { type City, cities, handles, type Language, languageOf, type Topic, topics } from './lexicon.js'
import type { Plan } from './plan.js'
import { appCount } from './plan.js'
import { Random } from './random.js'
import { cut, fill, slug, type Vocabulary } from './text.js'

/** The personal data of a user. It is computed on demand to save memory. */
export interface Person {
  readonly user: number
  /** Preferred username, which may be taken. */
  readonly handle: string
  readonly displayName: string
  readonly bio: string
  readonly city: City
  readonly topics: readonly [Topic, Topic]
  readonly language: Language
  /** Buys the pro tier soon after joining. */
  readonly isPro: boolean
}

const apps = [
  { handle: 'plaza', displayName: 'Plaza', bio: 'The client that most of us use. Releases and apologies.' },
  { handle: 'harbor', displayName: 'Harbor', bio: 'A quiet client for quiet people. Made by two.' },
  { handle: 'kite', displayName: 'Kite 🪁', bio: 'Casts with pictures first. Beta, be gentle.' },
] as const

const MAX_HANDLE_CHARACTERS = 15
const MAX_DISPLAY_BYTES = 32
const MAX_BIO_BYTES = 256

/** Returns the person for a user number of a plan. */
export function personOf(seed: string, plan: Plan, user: number): Person {
  const random = new Random(`plaza demo person|${seed}|${user}`)
  const city = cities[plan.city[user]!]!
  const ownTopics = [topics[plan.topics[0][user]!]!, topics[plan.topics[1][user]!]!] as const
  const language = languageOf(city.language)
  const base = { user, city, topics: ownTopics, language, isPro: plan.isPro[user] === 1 }
  if (user < appCount) return { ...base, ...apps[user]! }
  return { ...base, ...introduction(base, random) }
}

/** Creates another bio and display name. */
export function renewedIntroduction(
  seed: string,
  person: Person,
  time: number,
): Pick<Person, 'displayName' | 'bio'> {
  return introduction(person, new Random(`plaza demo person|${seed}|${person.user}|${time}`))
}

type Base = Pick<Person, 'city' | 'topics' | 'language'>

function introduction(base: Base, random: Random): Pick<Person, 'handle' | 'displayName' | 'bio'> {
  const given = random.pick(base.language.given)
  const family = random.pick(base.language.family)
  const nickname = `${random.pick(handles.first)}-${random.pick(handles.second)}`
  return {
    handle: handleOf(given, family, nickname, random),
    displayName: cut(displayNameOf(given, family, nickname, base, random), MAX_DISPLAY_BYTES),
    bio: cut(bioOf(base, random), MAX_BIO_BYTES),
  }
}

function handleOf(given: string, family: string, nickname: string, random: Random): string {
  const first = slug(given)
  const last = slug(family)
  const forms = [
    first,
    `${first}${last}`,
    `${first}-${last}`,
    `${first[0]}${last}`,
    `${last}${first[0]}`,
    nickname,
  ]
  // Names in other scripts have no Latin form; these users have an invented handle.
  const fitting = first === '' ? [] : forms.filter((form) => form.length <= MAX_HANDLE_CHARACTERS)
  const invented = [nickname, nickname.replace('-', '')].map((form) => form.slice(0, MAX_HANDLE_CHARACTERS))
  return fitting.length === 0 || random.chance(0.35) ? random.pick(invented) : random.pick(fitting)
}

function displayNameOf(given: string, family: string, nickname: string, base: Base, random: Random): string {
  const emoji = random.pick(base.topics[0].emoji)
  const isFamilyFirst = base.city.language === 'ja'
  const full = isFamilyFirst ? `${family}${given}` : `${given} ${family}`
  return random.pick([
    full,
    full,
    full,
    given,
    given.toLowerCase(),
    `${given} ${emoji}`,
    `${full} ${emoji}`,
    nickname.replace('-', ' '),
  ])
}

function bioOf({ city, topics: [first, second], language }: Base, random: Random): string {
  const say = (topic: Topic) => fill(random.pick(topic.bios), vocabularyOf(topic, city), random)
  const own = fill(random.pick(language.bios), { city: city.name, language: language.id }, random)
  const parts = random.pick([
    [say(first), say(second)],
    [say(first), own],
    [own],
    [own, say(second)],
    [say(first)],
  ])
  const text = parts.join(random.pick(['. ', ' · ', ', ', ' / ']))
  return random.chance(0.4) ? `${text} ${random.pick(first.emoji)}` : text
}

/** Returns the words for texts about a topic. */
export function vocabularyOf(topic: Topic, { name }: Pick<City, 'name'>): Vocabulary {
  return { words: topic.words, city: name, language: 'en' }
}

/** Maximum length of an fname (docs/protocol.md §3.3.8). */
const MAX_NAME_CHARACTERS = 16

/** Assigns unique usernames. A released name is not assigned again. */
export class UsernameAllocator {
  readonly #allocated = new Set<string>()
  readonly #usernames = new Map<number, string>()

  /** Assigns the handle, with a numeric suffix if it is taken. */
  allocate(user: number, handle: string): string {
    for (const suffix of suffixes(user)) {
      const name = `${handle.slice(0, MAX_NAME_CHARACTERS - suffix.length)}${suffix}`
      if (this.#allocated.has(name)) continue
      this.#allocated.add(name)
      this.#usernames.set(user, name)
      return name
    }
    throw new Error('unreachable: there is always another number')
  }

  /** Returns the latest name of the user. */
  usernameOf(user: number): string {
    return this.#usernames.get(user)!
  }
}

/** Suffixes for taken names, the shortest first. */
function* suffixes(user: number): Generator<string> {
  yield ''
  yield String((user * 7) % 100)
  yield String(user)
  for (let number = user + 1; ; number += 1) yield `${number}x`
}
