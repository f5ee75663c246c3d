/** Shorter literals occur in almost every text. */
export const MIN_LITERAL_LENGTH = 2
/** A longer list of alternatives selects little. */
const MAX_LITERALS = 64

/**
 * Returns literals of which a text must contain one for a regular expression to match.
 *
 * Literals and texts are compared folded (`foldText`), so flags do not matter. Null when none can be derived, which is
 * always correct.
 */
export function requiredLiterals(source: string): readonly string[] | null {
  const reader = { source, position: 0 }
  const found = readAlternatives(reader)
  if (found === undefined || reader.position < source.length) return null
  return found
}

/** Folds case: lowercase, with the two letters that RE2 folds to ASCII letters (long s, Kelvin sign) replaced. */
export function foldText(text: string): string {
  return text.toLowerCase().replaceAll('ſ', 's')
}

interface Reader {
  readonly source: string
  position: number
}

/** An item of a sequence: one literal character, or literals of which one is required; null for anything else. */
type Item = { readonly literal: string } | { readonly literals: readonly string[] } | null

/** Reads alternatives up to a closing parenthesis; undefined for unsupported syntax. */
function readAlternatives(reader: Reader): readonly string[] | null | undefined {
  const literals: string[] = []
  let isKnown = true
  for (;;) {
    const branch = readSequence(reader)
    if (branch === undefined) return undefined
    if (branch === null) isKnown = false
    else literals.push(...branch)
    if (reader.source[reader.position] !== '|') break
    reader.position += 1
  }
  return isKnown && literals.length <= MAX_LITERALS ? literals : null
}

/** Reads a sequence and returns the item whose shortest literal is longest. */
function readSequence(reader: Reader): readonly string[] | null | undefined {
  let best: readonly string[] | null = null
  let literalRun = ''
  const consider = (literals: readonly string[]) => {
    if (shortestLength(literals) > shortestLength(best)) best = literals
  }
  const endRun = () => {
    if (literalRun.length >= MIN_LITERAL_LENGTH) consider([literalRun])
    literalRun = ''
  }
  for (;;) {
    const char = reader.source[reader.position]
    if (char === undefined || char === '|' || char === ')') break
    const item = readItem(reader)
    if (item === undefined) return undefined
    const repetition = readRepetition(reader)
    if (repetition === undefined) return undefined
    if (item !== null && 'literal' in item && repetition === 'once') literalRun += item.literal
    else {
      endRun()
      // The group occurs at least once.
      if (item !== null && 'literals' in item && repetition !== 'maybe') consider(item.literals)
    }
  }
  endRun()
  return best
}

function shortestLength(literals: readonly string[] | null): number {
  return literals === null ? 0 : Math.min(...literals.map(({ length }) => length))
}

function readItem(reader: Reader): Item | undefined {
  const { source } = reader
  const char = source[reader.position]!
  reader.position += 1
  switch (char) {
    case '(':
      return readGroup(reader)
    case '[':
      return readClass(reader)
    case '\\':
      return readEscape(reader)
    case '.':
    case '^':
    case '$':
      return null
    case '*':
    case '+':
    case '?':
    case '{':
      // A brace may be literal; such patterns are rare.
      return undefined
    default:
      return literalOf(char)
  }
}

/** Returns a literal ASCII character; other letters fold in more ways than `foldText`. */
function literalOf(char: string): Item {
  return char.charCodeAt(0) < 0x80 ? { literal: foldText(char) } : null
}

function readGroup(reader: Reader): Item | undefined {
  const rest = reader.source.slice(reader.position)
  const [flags] = /^\?[imsU]*(-[imsU]+)?\)/.exec(rest) ?? []
  if (flags !== undefined) {
    reader.position += flags.length
    return null
  }
  const [opening] = /^\?(?:[imsU]*(?:-[imsU]+)?:|P?<\w+>)/.exec(rest) ?? []
  if (opening !== undefined) reader.position += opening.length
  else if (rest.startsWith('?')) return undefined
  const literals = readAlternatives(reader)
  if (literals === undefined || reader.source[reader.position] !== ')') return undefined
  reader.position += 1
  return literals === null ? null : { literals }
}

function readClass(reader: Reader): null | undefined {
  const [whole] = /^\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]/s.exec(reader.source.slice(reader.position)) ?? []
  if (whole === undefined) return undefined
  reader.position += whole.length
  return null
}

function readEscape(reader: Reader): Item | undefined {
  const char = reader.source[reader.position]
  if (char === undefined) return undefined
  reader.position += 1
  if ('dDwWsSbBAzC'.includes(char)) return null
  if (/[a-zA-Z0-9]/.test(char)) return undefined
  return literalOf(char)
}

function readRepetition(reader: Reader): 'once' | 'maybe' | 'more' | undefined {
  const [whole, bounds, minimum] =
    /^(?:[*+?]|(\{(\d+)(?:,\d*)?\}))\??/.exec(reader.source.slice(reader.position)) ?? []
  if (whole === undefined) return reader.source[reader.position] === '{' ? undefined : 'once'
  reader.position += whole.length
  if (bounds !== undefined) return Number(minimum) === 0 ? 'maybe' : 'more'
  return whole.startsWith('+') ? 'more' : 'maybe'
}
