import type { Chatter } from './chatter.js'
import { english } from './chatter-english.js'
import { german, japanese, turkish } from './chatter-others.js'
import { french, portuguese, spanish } from './chatter-romance.js'
import type { Topic } from './topic.js'
import { homeTopics } from './topics-home.js'
import { makingTopics } from './topics-making.js'
import { mindTopics } from './topics-mind.js'
import { outdoorTopics } from './topics-outdoors.js'

export const topics: readonly Topic[] = [...homeTopics, ...makingTopics, ...outdoorTopics, ...mindTopics]

const chatters = [english, spanish, portuguese, french, german, japanese, turkish]

/** The small talk of a language. */
export const chatterOf: ReadonlyMap<string, Chatter> = new Map(
  chatters.map((chatter) => [chatter.language, chatter]),
)

/** Where those who write in a language other than English meet. */
export const channelOfLanguage: Readonly<Record<string, string>> = {
  en: 'lobby',
  es: 'hola',
  pt: 'bomdia',
  fr: 'salut',
  de: 'deutsch',
  ja: 'nihongo',
  tr: 'merhaba',
}
