import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mentionCandidates } from '../../graph/view/mention-candidates.js'
import { insertMentions } from '../../graph/view/text-ranges.js'
import { stripMentions } from './mentions.js'

const fids = new Map([
  ['alice', 1],
  ['bob', 2],
  ['carol.eth', 3],
  ['dan.base.eth', 4],
  ['eve-', 5],
  ['x', 6],
])
const names = new Map([...fids].map(([name, fid]) => [fid, name]))

const parse = (text: string) => stripMentions(text, mentionCandidates(text), fids)

describe('stripMentions', () => {
  it('returns byte positions', () => {
    expect(parse('é@alice 日本 @bob👋 @x')).toEqual({
      text: 'é@alice 日本 👋 ',
      mentions: [2, 6],
      mentionsPositions: [16, 21],
    })
  })

  const fragment = fc.oneof(
    fc.constantFrom(
      ...[...fids.keys()].map((name) => `@${name}`),
      '@nobody',
      '@',
      '`',
      '```',
      'https://',
      '.eth',
    ),
    fc.constantFrom(' ', '\n', ', ', '(', ')', '-', '/', '.'),
    fc.constantFrom('👩‍🌾', '🇩🇪', 'e\u0301', 'é', '\u200d', '日本', '\u{10ffff}', 'ﷺ', '@!3'),
    fc.string({ unit: 'grapheme' }),
  )

  it('restoring the names gives the original text', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 24 }), (fragments) => {
        const text = fragments.join('')
        const { text: rest, mentions, mentionsPositions } = parse(text)
        const read = insertMentions(rest, mentions, mentionsPositions, (fid) => names.get(fid))
        expect(read.text).toBe(text)
        expect(read.mentions.map(({ fid, range }) => [text.slice(range.start, range.end), fid])).toEqual(
          mentions.map((fid) => [`@${names.get(fid)}`, fid]),
        )
        expect(mentionsPositions).toEqual([...mentionsPositions].sort((a, b) => a - b))
      }),
      { numRuns: 2_000 },
    )
  })

  it('takes linear time', () => {
    const slowInput = [
      '`'.repeat(16_000),
      '@a'.repeat(8_000),
      '`a'.repeat(8_000),
      'https://@a '.repeat(1_500),
    ]
    for (const text of slowInput) expect(parse(text).text.length).toBeLessThanOrEqual(text.length)
  })
})
