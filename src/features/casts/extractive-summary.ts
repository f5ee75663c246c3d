import { cutText } from '../../platform/text/cut-text.js'
import { stopWords } from '../../platform/text/stop-words.js'

/** A cast of a conversation. */
export interface ConversationText {
  readonly username: string
  readonly text: string
}

const MAX_SENTENCES = 3
/** Text that is read of a cast: 50 of 10,000 characters, in sentences of three letters, held up all requests for a quarter of a second. */
const MAX_TEXT_LENGTH = 1_024
const MAX_SENTENCE_LENGTH = 280
/**
 * Sentences of a cast that may be quoted. 1,024 characters of ordinary sentences are about 15; 50 casts of 200 sentences of three letters
 * each held up all requests for 80 to 165 ms.
 */
const MAX_SENTENCES_OF_CAST = 20
/** How many times more a word of the prompt weighs. */
const PROMPT_FACTOR = 4
/** Added to the length of a sentence, so that the shortest does not win by being short. */
const LENGTH_OFFSET = 4

const ignoredWords: ReadonlySet<string> = new Set(stopWords)

interface Sentence extends ConversationText {
  readonly words: readonly string[]
}

/**
 * Summarizes a conversation by its own sentences. A word weighs as much as the casts that have it, four times as much if
 * the prompt has it, too. A sentence weighs the sum of its words, each once, by its length and 4. The best sentence is
 * taken, its words weigh nothing from then on, and so on, up to three. They are quoted in the order of the conversation.
 *
 * @param casts Oldest first.
 */
export function extractiveSummary(casts: readonly ConversationText[], prompt = ''): string {
  const cutCasts = casts.map(({ username, text }) => ({ username, text: cutText(text, MAX_TEXT_LENGTH) }))
  const asked = new Set(wordsOf(prompt))
  const weights = new Map<string, number>()
  for (const { text } of cutCasts) {
    for (const word of new Set(wordsOf(text))) {
      weights.set(word, (weights.get(word) ?? 0) + (asked.has(word) ? PROMPT_FACTOR : 1))
    }
  }
  const sentences = cutCasts.flatMap(sentencesOf)
  const chosen = new Set<Sentence>()
  while (chosen.size < MAX_SENTENCES) {
    const best = heaviest(
      sentences.filter((sentence) => !chosen.has(sentence)),
      weights,
    )
    if (!best || (best.weight === 0 && chosen.size > 0)) break
    chosen.add(best.sentence)
    for (const word of best.sentence.words) weights.set(word, 0)
  }
  const text = sentences
    .filter((sentence) => chosen.has(sentence))
    .map((sentence) => `@${sentence.username}: ${sentence.text}`)
    .join('\n')
  return text === '' ? 'There is no text in this conversation.' : text
}

/** The sentence that weighs most, the first of equal ones. */
function heaviest(sentences: readonly Sentence[], weights: ReadonlyMap<string, number>) {
  let best: { readonly sentence: Sentence; readonly weight: number } | undefined
  for (const sentence of sentences) {
    const weight = weightOf(sentence, weights)
    if (best === undefined || weight > best.weight) best = { sentence, weight }
  }
  return best
}

function weightOf({ words }: Sentence, weights: ReadonlyMap<string, number>): number {
  const sum = [...new Set(words)].reduce((total, word) => total + (weights.get(word) ?? 0), 0)
  return sum / (words.length + LENGTH_OFFSET)
}

function sentencesOf({ username, text }: ConversationText): Sentence[] {
  return text
    .split(/\n+|(?<=[.!?…])\s+|(?<=[。！？])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .slice(0, MAX_SENTENCES_OF_CAST)
    .map((sentence) => ({
      username,
      text: Array.from(sentence).slice(0, MAX_SENTENCE_LENGTH).join(''),
      words: wordsOf(sentence),
    }))
}

/** The words of a text that say something: three letters or more, no grammar, no parts of URLs. */
function wordsOf(text: string): string[] {
  const words =
    text
      .toLowerCase()
      .replace(/https?:\S+/g, ' ')
      .match(/[\p{L}\p{N}'’]{3,}/gu) ?? []
  return words.filter((word) => !ignoredWords.has(word))
}
