import { type TBoolean, type TInteger, type TString, Type } from '@sinclair/typebox'

interface Documented {
  /** Said instead of the default's value, where that is computed. */
  readonly defaultText?: string
  /** Whether the value is never repeated in a message. */
  readonly secret?: boolean
}

type IntegerOptions = Documented & { minimum: number; maximum: number; default?: number }

/** A whole number in a range. */
export function integer(description: string, options: IntegerOptions): TInteger {
  return Type.Integer({ description, ...options })
}

type TextOptions = Documented & {
  minLength?: number
  pattern?: string
  /** Description of the pattern. */
  patternText?: string
  default?: string
}

/** A text, or one of a pattern. */
export function text(description: string, options: TextOptions): TString {
  return Type.String({ description, ...options })
}

/** `true` or `false`. */
export function flag(description: string, defaultValue: boolean): TBoolean {
  return Type.Boolean({ description, default: defaultValue })
}

/** One of some words. */
export function oneOf<const Choice extends string>(
  choices: readonly Choice[],
  options: { readonly description: string; default: Choice },
) {
  const literals = choices.map((choice) => Type.Literal(choice))
  return Type.Unsafe<Choice>(Type.Union(literals, { ...options, choices }))
}
