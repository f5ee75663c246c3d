import { RE2JS, RE2JSException } from 're2js'
import { MAX_PATTERN_LENGTH } from '../../../graph/view/schema/webhook-filters.js'

/** A user's regular expression, matched in linear time. */
export interface Pattern {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean
}

/**
 * Most instructions of a compiled pattern.
 *
 * Each instruction may run for each character: `(?i)(.*a){99}b`, which has about as many, takes tens of
 * milliseconds on the longest cast.
 */
const MAX_PROGRAM_SIZE = 500

/** Compiles a pattern in RE2 syntax, or returns the problem to append to the member's name. */
export function compilePattern(source: string): Pattern | { readonly problem: string } {
  if (source.length > MAX_PATTERN_LENGTH) {
    return { problem: `must be of at most ${MAX_PATTERN_LENGTH} characters` }
  }
  try {
    const compiled = RE2JS.compile(source)
    if (compiled.programSize() > MAX_PROGRAM_SIZE) {
      return {
        problem: `is too large: it compiles to ${compiled.programSize()} instructions, and ${MAX_PROGRAM_SIZE} are the limit`,
      }
    }
    return compiled
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return { problem: `is not a regular expression of RE2: ${reasonOf(error.message)}` }
  }
}

function reasonOf(message: string): string {
  return message.replace(/^error parsing regexp: /, '')
}
