/** A character in a class, which may begin or end a range: the end may be `[`. */
const classCharacter = String.raw`(?:\\x\{[^}]*\}|\\[\s\S]|[^\]\\])`
const rangeEnd = `(?:-(?!\\])${classCharacter})?`
const classItem = String.raw`(?:\[:[\s\S]*?:\]|\\[pP](?:\{[^}]*\}|[\s\S])|\\[dDsSwW]|${classCharacter}${rangeEnd})`

/**
 * Parts of an expression of RE2: quoted text, flags, which are no part of their own, a class, an escape, a count of repetitions,
 * or one character. An expression that is read differently here is none of RE2.
 */
const tokens = new RegExp(
  [
    String.raw`\\Q(?<quoted>[\s\S]*?)(?:\\E|$)`,
    String.raw`(?<flags>\(\?[a-zA-Z-]*\))`,
    String.raw`(?<atom>\[\^?(?:\]${rangeEnd})?${classItem}*\]?|\\[pPx]\{[^}]*\}|\\[pP]?[\s\S]?)`,
    String.raw`\{(?<least>\d+)(?<open>,(?<most>\d*))?\}`,
    String.raw`[\s\S]`,
  ].join('|'),
  'g',
)

/** A group that is open. */
interface Group {
  size: number
  /** The size of its last part, which a count would repeat. */
  last: number
}

/**
 * Returns the number of parts of an expression, each as often as counts repeat it: `(ab){3}` has 12. RE2 compiles a part to at
 * most two instructions, and makes copies of what is repeated before it knows how many: of `(?:\pL{1000}){1000}` without end.
 */
export function expandedSize(source: string): number {
  const outermost: Group = { size: 0, last: 0 }
  const groups = [outermost]
  const add = (size: number) => {
    const group = groups.at(-1)!
    group.size += size
    group.last = size
  }
  for (const { 0: token, groups: named = {} } of source.matchAll(tokens)) {
    const { quoted, flags, atom, least, open, most } = named
    const group = groups.at(-1)!
    // A count behind flags, or behind a quote of nothing, repeats what is before them.
    if (flags !== undefined || quoted === '') continue
    if (quoted !== undefined) add(quoted.length)
    else if (atom !== undefined) add(1)
    else if (least !== undefined) {
      const times = Math.max(1, Number(most || least) + (open === ',' ? 1 : 0))
      // A copy that may be left out has an instruction for that.
      const repeated = group.last * times + (open === undefined ? 0 : times)
      group.size += repeated - group.last
      group.last = repeated
    } else if (token === '(') groups.push({ size: 1, last: 0 })
    else if (token === ')' && groups.length > 1) add(groups.pop()!.size + 1)
    else if ('*+?'.includes(token)) {
      group.size += 1
      group.last += 1
    } else add(1)
  }
  return groups.reduce((sum, { size }) => sum + size, 0)
}
