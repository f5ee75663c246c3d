import type { Plan } from './plan.js'
import { appCount } from './plan.js'
import { Random } from './random.js'
import { cut, fill, slug, type Vocabulary } from './text.js'
import type { Chatter } from './words/chatter.js'
import { chatterOf, topics } from './words/lexicon.js'
import { handles, namesOf } from './words/names.js'
import { type Place, places } from './words/places.js'
import type { Topic } from './words/topic.js'

/** Who a user is. Made anew whenever it is needed: nobody keeps millions of these. */
export interface Person {
  readonly user: number
  /** What the user would like to be called; somebody else may have that name. */
  readonly handle: string
  readonly displayName: string
  readonly bio: string
  readonly place: Place
  readonly topics: readonly [Topic, Topic]
  readonly chatter: Chatter
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

/** The person behind a user number of a plan. */
export function personOf(seed: string, plan: Plan, user: number): Person {
  const random = new Random(`plaza demo person|${seed}|${user}`)
  const place = places[plan.place[user]!]!
  const ownTopics = [topics[plan.topics[0][user]!]!, topics[plan.topics[1][user]!]!] as const
  const chatter = chatterOf.get(place.language)!
  const base = { user, place, topics: ownTopics, chatter, isPro: plan.isPro[user] === 1 }
  if (user < appCount) return { ...base, ...apps[user]! }
  return { ...base, ...introduction(base, random) }
}

/** Another bio and another display name: people change their minds. */
export function renewedIntroduction(
  seed: string,
  person: Person,
  time: number,
): Pick<Person, 'displayName' | 'bio'> {
  return introduction(person, new Random(`plaza demo person|${seed}|${person.user}|${time}`))
}

type Base = Pick<Person, 'place' | 'topics' | 'chatter'>

function introduction(base: Base, random: Random): Pick<Person, 'handle' | 'displayName' | 'bio'> {
  const names = namesOf[base.place.language]!
  const given = random.pick(names.given)
  const family = random.pick(names.family)
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
  // Names in other scripts leave nothing: their owners call themselves something.
  const fitting = first === '' ? [] : forms.filter((form) => form.length <= MAX_HANDLE_CHARACTERS)
  const invented = [nickname, nickname.replace('-', '')].map((form) => form.slice(0, MAX_HANDLE_CHARACTERS))
  return fitting.length === 0 || random.chance(0.35) ? random.pick(invented) : random.pick(fitting)
}

function displayNameOf(given: string, family: string, nickname: string, base: Base, random: Random): string {
  const emoji = random.pick(base.topics[0].emoji)
  const isFamilyFirst = base.place.language === 'ja'
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

function bioOf({ place, topics: [first, second], chatter }: Base, random: Random): string {
  const { city, language } = place
  const say = (topic: Topic) => fill(random.pick(topic.bios), vocabularyOf(topic, place), random)
  const own = fill(random.pick(chatter.bios), { city, language }, random)
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

/** What somebody in a place says about a topic is made of these words. */
export function vocabularyOf(topic: Topic, { city }: Pick<Place, 'city'>): Vocabulary {
  return { words: topic.words, city, language: 'en' }
}
