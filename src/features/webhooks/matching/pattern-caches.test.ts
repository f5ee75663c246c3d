import { RE2JS } from 're2js'
import { expect, it } from 'vitest'
import { releasePattern, testPattern } from './pattern-caches.js'

/** Memory that a pattern has built, as re2js counts it. */
function bytesOf(pattern: RE2JS): number {
  const { stateBudget, memBudget } = pattern.re2().lazyDFA
  return stateBudget - memBudget
}

/** A text without order, so that almost every character needs a new state. */
function disorderedText(seed: number, length: number): string {
  let value = seed
  return Array.from({ length }, () => {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648
    return String.fromCharCode(97 + ((value >> 16) % 26))
  }).join('')
}

it('patterns: all together take at most 64 MB, and match as before', () => {
  const patterns = Array.from({ length: 20 }, (_, n) => RE2JS.compile(`[aeiou][^\\n]{${190 + n}}Z`))
  const largest = patterns.map((pattern) => {
    // The literal at the end is looked for first.
    for (let seed = 1; seed <= 8; seed += 1) testPattern(pattern, `Z${disorderedText(seed, 1_000)}`)
    return bytesOf(pattern)
  })
  const sum = (bytes: readonly number[]) => bytes.reduce((all, each) => all + each, 0)
  expect(sum(largest)).toBeGreaterThan(64 * 1024 * 1024)
  expect(sum(patterns.map(bytesOf))).toBeLessThanOrEqual(64 * 1024 * 1024)
  const matching = `a${'b'.repeat(199)}Z${'b'.repeat(10)}`
  expect(patterns.map((pattern) => testPattern(pattern, matching))).toEqual(
    patterns.map((_, n) => 190 + n === 199),
  )
  for (const pattern of patterns) releasePattern(pattern)
  expect(patterns.map(bytesOf)).toEqual(patterns.map(() => 0))
})
