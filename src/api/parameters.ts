import { type TSchema, Type } from '@sinclair/typebox'
import { CastHash, EthAddress, MAX_INT32, textEnum } from '../graph/view/schema/primitives.js'
import { UUID_PATTERN } from '../platform/text/uuid.js'

/**
 * Schemas of query parameters and body members. `Type.Optional(…)` makes one optional; one with a default is always
 * present. Their `examples` feed the examples of the OpenAPI document.
 */

/** The longest has a position of each of 64 shards, in base64. */
const MAX_CURSOR_LENGTH = 2_048
const MAX_TEXT_LENGTH = 1_024

interface Described {
  readonly description: string
  /** `[]` leaves an optional parameter out of the example. */
  readonly examples?: readonly unknown[]
}

/** The fid of a user or an app. */
export function fidParameter(options: Described & { minimum?: 0 | 1 }) {
  return Type.Integer({ format: 'int32', minimum: 1, maximum: MAX_INT32, examples: [3], ...options })
}

/** The viewer of a list: its blocks and mutes count, and `viewer_context` is about it. */
export const viewerFidParameter = viewerParameter(
  'The viewer. Leaves out users whom it blocks or mutes or who block it, and adds `viewer_context`.',
)

/** The viewer of a lookup, which shows what it names: only `viewer_context` is about it. */
export const lookupViewerFidParameter = viewerParameter('The viewer. Adds `viewer_context`.')

function viewerParameter(description: string) {
  return Type.Optional(fidParameter({ description, examples: [191] }))
}

/** The maximum number of items on a page. */
export function limitParameter(options: { maximum: number; default: number }) {
  return Type.Integer({
    format: 'int32',
    minimum: 1,
    description: 'Maximum number of items on a page.',
    ...options,
  })
}

/** The cursor of a page, for `cursor.ts` to decode. */
export const cursorParameter = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: MAX_CURSOR_LENGTH,
    patternText: 'the cursor of a previous page',
    description: '`next.cursor` of the previous page. Without it, the first page.',
    examples: [],
  }),
)

/** The parameters of a list with pages. */
export function pagingParameters(maximum: number, defaultLimit: number) {
  return { limit: limitParameter({ maximum, default: defaultLimit }), cursor: cursorParameter }
}

/** A boolean. */
export function flagParameter(options: Described & { default: boolean; deprecated?: boolean }) {
  return Type.Boolean(options)
}

/** One of these strings. */
export function choiceParameter<const Choice extends string>(
  choices: readonly Choice[],
  options: Described & { default?: Choice },
) {
  return textEnum(choices, options)
}

/** A string that is not empty. */
export function textParameter(options: Described & { maxLength?: number }) {
  return Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, ...options })
}

/** The id of an object of this server. */
export function uuidParameter(options: Described & { patternText?: string }) {
  return Type.String({
    pattern: UUID_PATTERN,
    patternText: 'a UUID',
    examples: ['19d0c5fd-9b33-4a48-a0e2-bc7b0555baec'],
    ...options,
  })
}

/** The hash of a cast, with or without `0x`. */
export function castHashParameter(options: Described) {
  return Type.String({
    pattern: '^(0x)?[a-fA-F0-9]{40}$',
    patternText: 'the hash of a cast: 40 hex digits, with 0x or without',
    examples: CastHash.examples,
    ...options,
  })
}

/** An Ethereum address. */
export function ethAddressParameter(options: Described) {
  return Type.String({
    pattern: '^0x[a-fA-F0-9]{40}$',
    patternText: 'an Ethereum address: 0x and 40 hex digits',
    examples: EthAddress.examples,
    ...options,
  })
}

/** An address of a chain: Ethereum's or Solana's. */
export function chainAddressParameter(options: Described) {
  return Type.String({
    pattern: '^(0x[a-fA-F0-9]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$',
    patternText: 'an Ethereum address (0x and 40 hex digits) or a Solana address (base58)',
    examples: EthAddress.examples,
    ...options,
  })
}

/** A number that may have a fraction. */
export function numberParameter(options: Described & { minimum: number; maximum: number }) {
  return Type.Number({ format: 'double', ...options })
}

/** A point on the earth. */
export const pointParameters = {
  latitude: numberParameter({
    minimum: -90,
    maximum: 90,
    description: 'Latitude in degrees.',
    examples: [52.52],
  }),
  longitude: numberParameter({
    minimum: -180,
    maximum: 180,
    description: 'Longitude in degrees.',
    examples: [13.4],
  }),
}

/** A list: comma-separated, or the parameter repeated. */
export function listParameter<Item extends TSchema>(
  item: Item,
  options: Described & { maxItems: number; minItems?: number; uniqueItems?: false },
) {
  return Type.Array(item, { minItems: 1, ...options })
}

/** Counts the values of an unchecked list, given between commas, as repeated parameters, or both. */
export function listLength(list: unknown): number {
  return String(list ?? '').split(',').length
}
