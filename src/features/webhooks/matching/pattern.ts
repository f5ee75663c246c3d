import { RE2JS, RE2JSException } from 're2js'
import { MAX_PATTERN_LENGTH } from '../../../graph/view/schema/webhook-filters.js'

/** A regular expression of a user: it is matched in linear time, whatever it says. */
export interface Pattern {
  /** Whether it finds something anywhere in the text. */
  test(text: string): boolean
}

/**
 * Instructions of a compiled pattern. Each may be looked at for each character of a text: `(?i)(.*a){99}b`, which is as
 * long as that, takes
 * tens of milliseconds on the longest cast.
 */
const MAX_PROGRAM_SIZE = 500

/** Compiles a pattern in RE2's syntax, or says what is wrong with it, to go on after its name. */
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
