import { type CastAddBody, CastType, type Embed } from '../protocol/definitions.js'
import { MAX_CAST_BYTES, MAX_LONG_CAST_BYTES, MAX_TEN_K_CAST_BYTES } from '../protocol/kinds/cast.js'
import type { WindowCast } from './cast-window.js'
import { type Language, languageOf, type Topic, topics } from './lexicon.js'
import { type Person, vocabularyOf } from './person.js'
import { fidOf } from './plan.js'
import type { Random } from './random.js'
import { countMentions, cut, extractMentions, fill, slug, type Vocabulary } from './text.js'
import type { World } from './world.js'

/** The content of a cast, without time and hash. */
export interface Composition {
  readonly body: CastAddBody
  /** Index into `topics`; -1 without a topic. */
  readonly topic: number
  readonly language: string
  /** Mentioned users. */
  readonly mentioned: readonly number[]
}

const OWN_LANGUAGE_SHARE = 0.7
const TOPIC_SHARE = 0.72
const TAIL_SHARE = 0.35
const EMOJI_SHARE = 0.3
const IMAGE_SHARE = 0.16
const PAGE_SHARE = 0.08
const CHANNEL_SHARE = 0.55
const MENTION_SHARE = 0.06
const REPLY_MENTION_SHARE = 0.03
const LONG_SHARE = 0.015
const TEN_K_SHARE = 0.02
/** A token URL as parent, which was once used for channels. */
const TOKEN_CHANNEL = 'chain://eip155:1/erc721:0x00000000000000000000000000000000000000aa'
const TOKEN_CHANNEL_SHARE = 0.004

/** Returns the parent URL of a channel (docs/protocol.md §7.1). */
export function channelUrl(id: string): string {
  return `https://farcaster.xyz/~/channel/${id}`
}

/**
 * Composes the first cast of a thread, with or without topic and channel, sometimes long or with a picture.
 */
export function composePost(world: World, person: Person): Composition {
  const { random } = world
  const ownLanguage = person.language.id
  const language = ownLanguage === 'en' || random.chance(OWN_LANGUAGE_SHARE) ? ownLanguage : 'en'
  const topicIndex = language === 'en' && random.chance(TOPIC_SHARE) ? pickTopic(world, person.user) : -1
  const topic = topics[topicIndex] ?? null
  const author = { person, topic, language: languageOf(language) }
  const { words, embeds, mentioned } = composeText(world, author)
  const isChannelPost = random.chance(CHANNEL_SHARE)
  const channel = topic?.id ?? author.language.channel
  const parentUrl = random.chance(TOKEN_CHANNEL_SHARE) ? TOKEN_CHANNEL : channelUrl(channel)
  const body = bodyOf(words, mentioned, embeds, isChannelPost ? { parentUrl } : {})
  return { body, topic: topicIndex, language, mentioned }
}

/** Composes a reply, in the language of the parent if the user speaks it. */
export function composeReply(world: World, person: Person, parent: WindowCast): Composition {
  const { random } = world
  const language = languageOf(parent.language === person.language.id ? parent.language : 'en')
  const vocabulary = smallTalk(language, person)
  const mentioned = random.chance(REPLY_MENTION_SHARE) ? pickFriends(world, person.user, 1) : []
  let words = fill(random.pick(language.replies), vocabulary, random)
  if (random.chance(TAIL_SHARE))
    words = joinSentences(words, fill(random.pick(language.tails), vocabulary, random))
  const topic = topics[parent.topic]
  if (random.chance(EMOJI_SHARE)) words += ` ${random.pick(topic?.emoji ?? ['😄', '🙏', '💛', '🙌', '👀'])}`
  if (mentioned.length > 0) words = joinSentences(words, fill('cc {@}', vocabulary, random))
  const embeds = random.chance(0.03) ? [pictureEmbed(random, topic?.id ?? 'misc')] : []
  const parentCastId = { fid: fidOf(parent.user), hash: parent.hash }
  const body = bodyOf(words, mentioned, embeds, { parentCastId })
  return { body, topic: parent.topic, language: language.id, mentioned }
}

/** Composes a quote of a cast. */
export function composeQuote(world: World, person: Person, quoted: WindowCast): Composition {
  const { random } = world
  const language = languageOf(quoted.language === person.language.id ? quoted.language : 'en')
  const words = fill(random.pick(language.quotes), smallTalk(language, person), random)
  const embeds = [castEmbed(quoted)]
  return {
    body: bodyOf(words, [], embeds, {}),
    topic: quoted.topic,
    language: language.id,
    mentioned: [],
  }
}

interface TextAuthor {
  readonly person: Person
  readonly topic: Topic | null
  readonly language: Language
}

interface CastText {
  readonly words: string
  readonly embeds: readonly Embed[]
  readonly mentioned: readonly number[]
}

function composeText(world: World, author: TextAuthor): CastText {
  const { random } = world
  const { person, topic, language } = author
  const vocabulary = smallTalk(language, person)
  if (random.chance(MENTION_SHARE)) {
    const words = fill(random.pick(language.mentions), vocabulary, random)
    const mentioned = pickFriends(world, person.user, countMentions(words))
    if (mentioned.length === countMentions(words))
      return { words: withEmoji(random, author, words), embeds: [], mentioned }
  }
  const length = random.fraction()
  if (world.isProNow(person.user) && length < TEN_K_SHARE) {
    return { words: essay(random, author, random.between(1200, 5000)), embeds: [], mentioned: [] }
  }
  if (length < LONG_SHARE + TEN_K_SHARE) {
    return { words: essay(random, author, random.between(400, 880)), embeds: [], mentioned: [] }
  }
  const embeds = embedsFor(random, topic)
  const isCaption = embeds.length > 0 && random.chance(0.5)
  const first = isCaption
    ? fill(random.pick(language.captions), vocabulary, random)
    : sentence(random, author)
  const words = random.chance(TAIL_SHARE)
    ? joinSentences(first, fill(random.pick(language.tails), vocabulary, random))
    : first
  return { words: withEmoji(random, author, words), embeds, mentioned: [] }
}

function sentence(random: Random, { person, topic, language }: TextAuthor): string {
  return topic
    ? fill(random.pick(topic.posts), vocabularyOf(topic, person.city), random)
    : fill(random.pick(language.posts), smallTalk(language, person), random)
}

/** Composes sentences and paragraphs of about `sizeBytes` bytes, with few repetitions. */
function essay(random: Random, author: TextAuthor, sizeBytes: number): string {
  const composed = new Set<string>()
  let text = ''
  for (let draws = 0; Buffer.byteLength(text) < sizeBytes; draws += 1) {
    const next = sentence(random, author)
    if (composed.has(next) && draws % 4 !== 0) continue
    composed.add(next)
    if (text === '') text = next
    else text = random.chance(0.25) ? `${text}\n\n${next}` : joinSentences(text, next)
  }
  return text
}

function joinSentences(first: string, second: string): string {
  if (/[\u3040-\u30ff\u4e00-\u9fff]$/.test(first)) return `${first}。${second}`
  return /[\p{L}\p{N}"')]$/u.test(first) ? `${first}. ${second}` : `${first} ${second}`
}

function withEmoji(random: Random, { topic }: TextAuthor, words: string): string {
  const choices = topic?.emoji ?? ['✨', '🙂', '🌿', '☁️', '👋🏽', '👩‍👧‍👦']
  if (!random.chance(EMOJI_SHARE)) return words
  // Sometimes in front, so that byte and character offsets differ.
  return random.chance(0.3) ? `${random.pick(choices)} ${words}` : `${words} ${random.pick(choices)}`
}

function embedsFor(random: Random, topic: Topic | null): Embed[] {
  const chance = random.fraction()
  if (chance < IMAGE_SHARE) {
    const extra = random.fraction()
    const count = extra < 0.8 ? 1 : extra < 0.95 ? 2 : 4
    return Array.from({ length: count }, () => pictureEmbed(random, topic?.id ?? 'misc'))
  }
  return topic && chance < IMAGE_SHARE + PAGE_SHARE ? [pageEmbed(random, topic)] : []
}

function pictureEmbed(random: Random, folder: string): Embed {
  const name = random.below(0x1_0000_0000).toString(16).padStart(8, '0')
  const kind = random.pick(['jpg', 'jpg', 'jpg', 'png', 'webp', 'gif'])
  return { url: `https://pictures.plaza.example/${folder}/${name}.${kind}`, castId: undefined }
}

function pageEmbed(random: Random, topic: Topic): Embed {
  const path = fill(random.pick(topic.pages), { words: topic.words, city: 'home', language: 'en' }, random)
  const slugs = path.split('/').map(slug).join('/')
  return { url: `https://${topic.id}.plaza.example/${slugs}`, castId: undefined }
}

function castEmbed({ user, hash }: WindowCast): Embed {
  return { url: undefined, castId: { fid: fidOf(user), hash } }
}

function bodyOf(
  words: string,
  mentioned: readonly number[],
  embeds: readonly Embed[],
  parent: Pick<CastAddBody, 'parentCastId' | 'parentUrl'>,
): CastAddBody {
  const extracted = extractMentions(words)
  const text = cut(extracted.text, MAX_TEN_K_CAST_BYTES)
  const sizeBytes = Buffer.byteLength(text)
  const long = sizeBytes <= MAX_LONG_CAST_BYTES ? CastType.LONG_CAST : CastType.TEN_K_CAST
  return {
    embedsDeprecated: [],
    mentions: mentioned.map(fidOf),
    mentionsPositions: [...extracted.positions],
    text,
    embeds: [...embeds],
    type: sizeBytes <= MAX_CAST_BYTES ? CastType.CAST : long,
    parentCastId: undefined,
    parentUrl: undefined,
    ...parent,
  }
}

function smallTalk({ id }: Language, { city }: Person): Vocabulary {
  return { city: city.name, language: id }
}

function pickTopic({ random, plan }: World, user: number): number {
  const own = plan.topics[random.chance(0.7) ? 0 : 1][user]!
  return random.chance(0.08) ? random.below(topics.length) : own
}

/** Picks up to `count` different users whom the user follows. */
function pickFriends({ plan, random }: World, user: number, count: number): number[] {
  const friends = new Set<number>()
  for (let draws = 0; draws < count * 3 && friends.size < count; draws += 1) {
    const friend = plan.follows.anyFollowed(user, random)
    if (friend !== null) friends.add(friend)
  }
  return [...friends]
}
