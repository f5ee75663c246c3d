import { type TSchema, Type } from '@sinclair/typebox'
import { MAX_INT32 } from '../graph/view/schema/primitives.js'
import { textEnum } from '../graph/view/schema/schema-type.js'

/**
 * The kinds of parameters that operations declare in their query. `Type.Optional(…)` makes one optional; one with
 * a default is always there.
 */

const MAX_CURSOR_LENGTH = 1_024
const MAX_TEXT_LENGTH = 1_024

interface Described {
  readonly description: string
}

/** A user. */
export function fidParameter(options: Described & { minimum?: 0 | 1 }) {
  return Type.Integer({ format: 'int32', minimum: 1, maximum: MAX_INT32, ...options })
}

/** For whom the answer is: whose blocks and mutes count, and whom `viewer_context` speaks of. */
export const viewerFidParameter = Type.Optional(
  fidParameter({
    description:
      'For whom the answer is: leaves out whom this user blocks or mutes, and fills `viewer_context`.',
  }),
)

/** How many there are on a page. */
export function limitParameter(options: { maximum: number; default: number }) {
  return Type.Integer({ format: 'int32', minimum: 1, description: 'How many, at most.', ...options })
}

/** Where the page begins: for `cursor.ts` to open. */
export const cursorParameter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_CURSOR_LENGTH,
    patternText: 'the cursor of a page before',
    description: '`next.cursor` of the page before; without it, the first page.',
  }),
)

/** True or false. */
export function flagParameter(options: Described & { default: boolean; deprecated?: boolean }) {
  return Type.Boolean(options)
}

/** One of these texts. */
export function choiceParameter<const Choice extends string>(
  choices: readonly Choice[],
  options: Described & { default?: Choice },
) {
  return textEnum(choices, options)
}

/** A text that is not empty. */
export function textParameter(options: Described & { maxLength?: number }) {
  return Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, ...options })
}

/** The hash of a cast, with `0x` or without. */
export function castHashParameter(options: Described) {
  return Type.String({
    pattern: '^(0x)?[a-fA-F0-9]{40}$',
    patternText: 'the hash of a cast: 40 hex digits, with 0x or without',
    ...options,
  })
}

/** An Ethereum address. */
export function ethAddressParameter(options: Described) {
  return Type.String({
    pattern: '^0x[a-fA-F0-9]{40}$',
    patternText: 'an Ethereum address: 0x and 40 hex digits',
    ...options,
  })
}

/** A number that may have a fraction. */
export function numberParameter(options: Described & { minimum: number; maximum: number }) {
  return Type.Number({ format: 'double', ...options })
}

/** Many of a kind, between commas or as the parameter repeated. */
export function listParameter<Item extends TSchema>(
  item: Item,
  options: Described & { maxItems: number; minItems?: number },
) {
  return Type.Array(item, { minItems: 1, ...options })
}
