import { describe, expect, it } from 'vitest'
import { languageIds, languageOf, topics } from './lexicon.js'
import { Random } from './random.js'
import { countMentions, cut, extractMentions, fill, slug } from './text.js'

const random = new Random('text test')
const vocabulary = { city: 'Leeds', language: 'en', words: { fruit: ['apple'] } }

describe('mentions', () => {
  it('have byte offsets, which emoji and accents shift by more than one', () => {
    const filled = fill('🎂 olé {@} and 👩‍👧‍👦 {@}!', vocabulary, random)
    const { text, positions } = extractMentions(filled)
    expect(text).toBe('🎂 olé  and 👩‍👧‍👦 !')
    expect(positions).toEqual([Buffer.byteLength('🎂 olé '), Buffer.byteLength('🎂 olé  and 👩‍👧‍👦 ')])
    const bytes = Buffer.from(text)
    const parts = [
      bytes.subarray(0, positions[0]),
      bytes.subarray(positions[0], positions[1]),
      bytes.subarray(positions[1]),
    ]
    expect(parts.map(String)).toEqual(['🎂 olé ', ' and 👩‍👧‍👦 ', '!'])
  })

  it('may be at the start and at the end', () => {
    const filled = fill('{@} likes {@}', vocabulary, random)
    expect(countMentions(filled)).toBe(2)
    expect(extractMentions(filled)).toEqual({ text: ' likes ', positions: [0, 7] })
  })
})

describe('templates', () => {
  it('use "an" before a vowel', () => {
    expect(fill('A {fruit} a day', vocabulary, random)).toBe('An apple a day')
  })

  it('throw on an unknown slot', () => {
    expect(() => fill('{vegetable}', vocabulary, random)).toThrow('{vegetable}')
  })

  it('of all topics and languages have words for their slots', () => {
    for (const topic of topics) {
      const all = [...topic.posts, ...topic.bios, ...topic.pages]
      for (const template of all) fill(template, { ...vocabulary, words: topic.words }, random)
    }
    for (const language of languageIds) {
      const { posts, replies, quotes, captions, tails, mentions, bios } = languageOf(language)
      const templates = [posts, replies, quotes, captions, tails, mentions, bios].flat()
      for (const template of templates) fill(template, { city: 'x', language }, random)
    }
  })
})

it('cut never splits a character', () => {
  expect(cut('ab🎂', 5)).toBe('ab')
  expect(cut('ab🎂', 6)).toBe('ab🎂')
  expect(cut('日本', 4)).toBe('日')
})

it('slug creates names and paths from any text', () => {
  expect(slug('São Paulo, Weiß & Işık!')).toBe('sao-paulo-weiss-isik')
  expect(slug('東京')).toBe('')
})
