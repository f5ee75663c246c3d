import type { RE2JS } from 're2js'

/**
 * Most memory that the automata of all patterns of this process take, as re2js counts it: eight of the largest. re2js builds
 * states while it matches, up to 8 MB for each pattern, and never gives them back.
 */
const MAX_CACHE_BYTES = 64 * 1024 * 1024

/** The memory of each automaton, the one that began to grow first at the beginning. */
const bytesByPattern = new Map<RE2JS, number>()
let totalBytes = 0

/** Tests whether a pattern matches, and keeps the memory of all patterns within its limit. */
export function testPattern(pattern: RE2JS, text: string): boolean {
  const isMatch = pattern.test(text)
  const bytes = bytesOf(pattern)
  const before = bytesByPattern.get(pattern) ?? 0
  if (bytes === before) return isMatch
  bytesByPattern.set(pattern, bytes)
  totalBytes += bytes - before
  for (const oldest of bytesByPattern.keys()) {
    if (totalBytes <= MAX_CACHE_BYTES) break
    releasePattern(oldest)
  }
  return isMatch
}

/** Frees what a pattern has built. It can go on matching. */
export function releasePattern(pattern: RE2JS): void {
  automatonOf(pattern)?.clearCache()
  totalBytes -= bytesByPattern.get(pattern) ?? 0
  bytesByPattern.delete(pattern)
}

function bytesOf(pattern: RE2JS): number {
  const automaton = automatonOf(pattern)
  return automaton === null ? 0 : automaton.stateBudget - automaton.memBudget
}

/** The automaton of a pattern; null until a text has needed it, which the types of re2js do not say. */
function automatonOf(pattern: RE2JS): ReturnType<RE2JS['re2']>['lazyDFA'] | null {
  return pattern.re2().lazyDFA
}
