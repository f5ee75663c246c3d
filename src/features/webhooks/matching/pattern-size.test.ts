import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { compilePattern, patternProblem } from './filters.js'
import { expandedSize } from './pattern-size.js'

test.each([
  ['abc', 3],
  ['(ab){3}', 12],
  ['((a{10}){10}){10}', 1_220],
  ['a{2,}b{3,5}', 16],
  ['a{0}', 1],
  ['[a(){9}]{3}', 3],
  ['[]a]{3}', 3],
  ['[^]a]{3}', 3],
  ['[[:alpha:](]{3}', 3],
  ['[[:](a)', 4],
  ['\\p{Greek}{3}\\pL{2}\\x{41}{4}', 9],
  ['\\({3}\\[{2}', 5],
  ['\\Qa(\\E(b){2}', 8],
  ['\\Qa(b', 3],
  ['(a*){3}', 12],
  ['(?:ab)(?i)\\Q\\E{3}', 18],
  ['[\\d-[:alpha:])]{3}', 3],
  ['[+-[:a:](ab){3}', 13],
])('parts of %s: %i', (source, size) => {
  expect(expandedSize(source)).toBe(size)
})

test.each([
  ['\\pL'.repeat(101), 101],
  [`[${'\\W'.repeat(101)}]`, 102],
  ['[a-z]'.repeat(101), 101],
])('an expression of more than 100 classes is not saved, and a saved one works', (source, count) => {
  expect(patternProblem(source)).toBe(`is too large: it has ${count} classes, and 100 are the limit`)
  expect(compilePattern(source)).toBeInstanceOf(RE2JS)
})

test('an expression of 100 classes is saved, also with brackets and letters that are escaped', () => {
  for (const source of [`(?i)${'\\pL'.repeat(100)}`, '\\['.repeat(101), '\\\\d'.repeat(101)])
    expect(patternProblem(source)).toBeNull()
})

const atom = fc.constantFrom(
  'a',
  '.',
  '\\pL',
  '\\p{Greek}',
  '[a-z]',
  '[](]',
  '[^])]',
  '[[:alpha:]]',
  '\\(',
  '\\Q(a[\\E',
  '^',
  '\\b',
  '\\[',
)
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    atom,
    fc.tuple(tie('expression'), tie('expression')).map((both) => both.join('')),
    fc.tuple(tie('expression'), tie('expression')).map((both) => `(${both.join('|')})`),
    fc
      .tuple(
        fc.constantFrom('(', '(?:', '(?i:', '(?P<n>'),
        tie('expression'),
        fc.constantFrom('', '*', '+?', '{3}', '{0,4}', '{2,}'),
      )
      .map(([open, inner, count]) => `${open}${inner})${count}`),
  ),
}))
/** Pieces whose order decides what a count repeats, and what is inside of a class. */
const pieces = [
  ...[
    '(?i)',
    '(?-s)',
    '(?i-s:',
    '(?:',
    '(',
    ')',
    ')',
    '(?<=',
    '(?P<n>',
    '(?:abcdefgh)',
    '(?:abcdefgh)',
    'a',
    '\\E',
  ],
  ...[
    '\\Q',
    '\\Q\\E',
    '[',
    '[^',
    '[]',
    ']',
    '[:a:]',
    '[:alpha:]',
    '-',
    '\\d',
    '\\pL',
    '\\x{41}',
    '\\[',
    '\\(',
    '|',
    '^',
  ],
  ...['{9}', '{9}', '{2,}', '{0,3}', '*', '+?', '{', ','],
]
const noise = fc.array(fc.constantFrom(...pieces), { maxLength: 9 }).map((all) => all.join(''))

test('an expression that RE2 compiles has at most two instructions for each part', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        expression,
        noise,
        fc.tuple(noise, expression, noise).map((all) => all.join('')),
      ),
      (source) => {
        const size = expandedSize(source)
        // Otherwise the test compiles what the bound is there for.
        fc.pre(size < 20_000)
        let compiled: RE2JS
        try {
          compiled = RE2JS.compile(source)
        } catch {
          return
        }
        expect(compiled.programSize()).toBeLessThanOrEqual(2 * size + 3)
      },
    ),
    { numRuns: 2_000 },
  )
})

test.each([
  `^(?:${'\\pL'.repeat(329)}){1000}`,
  `(?:${'a'.repeat(990)}){1000}`,
  `(?:${'\\pL'.repeat(100)}){30}`,
  '((a{10}){10}){21}',
  `(?:${'\\pL'.repeat(320)})\\Q\\E{1000}`,
  `(?:${'\\pL'.repeat(320)})(?i){20}(?i){50}`,
  `[+-[:a:](?:${'\\pL'.repeat(320)}){1000}`,
  `[]-[:a:](?:${'\\pL'.repeat(320)}){1000}`,
])('%s is refused before it is compiled', (source) => {
  expect(compilePattern(source)).toEqual({
    problem: expect.stringMatching(/^is too large: it has \d+ parts/),
  })
})
