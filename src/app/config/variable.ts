import { type TBoolean, type TInteger, type TString, Type } from '@sinclair/typebox'

interface Documented {
  readonly description: string
  /** Said instead of the default's value, where that is computed. */
  readonly defaultText?: string
  /** Its value is never repeated in a message. */
  readonly secret?: boolean
}

type IntegerOptions = Documented & { minimum: number; maximum: number; default?: number }

/** A whole number in a range. */
export function integer(options: IntegerOptions): TInteger {
  return Type.Integer(options)
}

type TextOptions = Documented & {
  minLength?: number
  pattern?: string
  /** What the pattern asks for, in words. */
  patternText?: string
  default?: string
}

/** A text, or one of a pattern. */
export function text(options: TextOptions): TString {
  return Type.String(options)
}

/** `true` or `false`. */
export function flag(options: Documented & { default: boolean }): TBoolean {
  return Type.Boolean(options)
}

/** One of some words. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: Documented & { default: Choice },
) {
  const literals = choices.map((choice) => Type.Literal(choice))
  return Type.Unsafe<Choice>(Type.Union(literals, { ...options, choices }))
}
