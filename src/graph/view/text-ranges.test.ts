import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { channelMentions, insertMentions } from './text-ranges.js'

const names = new Map([
  [1, 'alice'],
  [2, 'bob.eth'],
])
const nameOf = (fid: number) => names.get(fid)

describe('mentions', () => {
  it('are inserted at byte positions, with ranges in UTF-16', () => {
    const { text, mentions } = insertMentions('🙂 hi  and ', [1, 2], [8, 13], nameOf)
    expect(text).toBe('🙂 hi @alice and @bob.eth')
    expect(mentions.map(({ fid, range }) => [fid, text.slice(range.start, range.end)])).toEqual([
      [1, '@alice'],
      [2, '@bob.eth'],
    ])
  })

  it('of unknown users show the fid and have no range', () => {
    expect(insertMentions(' and ', [9, 1], [0, 5], nameOf)).toEqual({
      text: '@!9 and @alice',
      mentions: [{ fid: 1, range: { start: 8, end: 14 } }],
    })
  })

  it('at a position within a character stand behind it', () => {
    expect(insertMentions('🎉 ', [1, 2], [2, 3], nameOf).text).toBe('🎉@alice@bob.eth ')
  })

  it('without a position are appended', () => {
    expect(insertMentions('hi ', [1], [], nameOf).text).toBe('hi @alice')
  })

  it('a text without mentions stays unchanged', () => {
    expect(insertMentions('plain 🙂', [], [], nameOf)).toEqual({ text: 'plain 🙂', mentions: [] })
  })

  it('slicing by the ranges gives the mentions back', () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 8 }), { minLength: 2, maxLength: 5 })
    fc.assert(
      fc.property(pieces, (parts) => {
        const positions = parts
          .slice(0, -1)
          .map((_, index) => Buffer.byteLength(parts.slice(0, index + 1).join('')))
        const { text, mentions } = insertMentions(
          parts.join(''),
          positions.map(() => 1),
          positions,
          nameOf,
        )
        expect(text).toBe(parts.join('@alice'))
        expect(mentions.map(({ range }) => text.slice(range.start, range.end))).toEqual(
          positions.map(() => '@alice'),
        )
      }),
    )
  })
})

it.each([
  ['/gardens', ['gardens']],
  ['in /gardens (/trees), and\n/bees!', ['gardens', 'trees', 'bees']],
  ['and/or', []],
  ['//gardens', []],
  ['/gardens/trees', []],
  ['/Gardens', []],
  ['/gardens_x', []],
  ['/gardené', []],
  ['/abcdefghijklmnop', ['abcdefghijklmnop']],
  ['/abcdefghijklmnopq', []],
  ['/', []],
])('%s mentions channels %j', (text, expected) => {
  const found = channelMentions(text).map(({ name, range }) => [name, text.slice(range.start, range.end)])
  expect(found).toEqual(expected.map((name) => [name, `/${name}`]))
})
