import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutDeepJson, findJsonFault, MAX_JSON_DEPTH, parseBoundedJson } from './json-bounds.js'

const tooDeep = 'must not be nested deeper than 64 levels'
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

it('finds a fault at any place, and no other', () => {
  expect(findJsonFault({ a: [1, { b: 'tulip 🌷' }], c: null })).toBeNull()
  expect(findJsonFault({ a: [1, { b: 'a\0' }] })).toEqual({
    problem: 'must not hold the character U+0000',
    path: ['a', '1', 'b'],
  })
  expect(findJsonFault({ a: { '\ud83c': 1 } })).toEqual({
    problem: 'must not hold half of a surrogate pair',
    path: ['a'],
  })
  expect(findJsonFault(JSON.parse(nested(64)))).toBeNull()
  expect(findJsonFault(JSON.parse(nested(65)))).toMatchObject({ problem: tooDeep })
})

it('follows nesting that overflows the stack of a recursive reader', () => {
  expect(findJsonFault(JSON.parse(nested(1_000_000)))).toMatchObject({ problem: tooDeep })
})

it('text that is not too deep -> the same text, and the same value', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      expect(cutDeepJson(text)).toBe(text)
      expect(parseBoundedJson(text)).toEqual(JSON.parse(text))
    }),
  )
})

it('any text -> parsed as by JSON.parse, or refused', () => {
  const pieces = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    '"',
    '\\',
    ',',
    ':',
    '1',
    '"a":',
    '[[[[[[[[[[[[[[[[',
    '"\\"[',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const text = parts.join('')
      const outcome = (parse: (text: string) => unknown) => {
        try {
          return { value: parse(text) }
        } catch {
          return 'refused'
        }
      }
      const bounded = outcome(parseBoundedJson)
      if (bounded !== 'refused') expect(bounded).toEqual(outcome(JSON.parse))
    }),
    { numRuns: 2_000 },
  )
})

it('text that is too deep -> a short one with the same fault at the same member', () => {
  const inner = fc.constantFrom('{"a":', '[', '[1,"]",', '{"b\\"[":[],"a":', '[{"c":"\\\\"},')
  fc.assert(
    fc.property(fc.array(inner, { minLength: MAX_JSON_DEPTH + 1, maxLength: 300 }), (opened) => {
      const closed = opened.map((text) => (text.startsWith('{') ? '}' : ']')).reverse()
      const text = `${opened.join('')}1${closed.join('')}`
      const cut = cutDeepJson(text)
      expect(cut.length).toBeLessThan(MAX_JSON_DEPTH * 20)
      expect(findJsonFault(JSON.parse(cut))).toEqual(findJsonFault(JSON.parse(text)))
      expect(() => parseBoundedJson(text)).toThrow(tooDeep)
    }),
  )
})
