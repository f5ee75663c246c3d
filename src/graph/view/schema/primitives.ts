import { type SchemaOptions, type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/**
 * Conventions of the schemas in this folder and in `schema/` of features.
 *
 * - One file per noun. A schema with an `$id` becomes a component of the OpenAPI document, and other schemas refer to it.
 * - `examples` on strings, numbers and objects feed the examples of the document (`api/openapi-example.ts`). The
 *   examples of parts form the example of the whole; `examples: []` leaves an optional member out of it.
 * - Required members are always present, null if there is no value and the schema allows null.
 * - Members that are optional and nullable are always present too.
 * - Lists and counters are always present, also optional ones: empty, or 0.
 * - Any other optional member is left out if no value that the schema allows would be true: a user without a
 *   location has no `location`. The types of published clients allow a missing member there, and no null.
 * - `viewer_context` is present exactly when the request names a viewer; never in mentioned channels and in channels of embedded
 *   casts, which all viewers share.
 * - A deprecated member is filled like any other.
 */

/** The largest int32, the maximum of fids and counters in the hosted API. */
export const MAX_INT32 = 2_147_483_647

export const Fid = Type.Integer({
  $id: 'Fid',
  format: 'int32',
  minimum: 0,
  maximum: MAX_INT32,
  description: 'Fid of a user or an app.',
  examples: [3],
})

export const EthAddress = Type.String({
  $id: 'EthAddress',
  pattern: '^0x[a-fA-F0-9]{40}$',
  patternText: 'an Ethereum address: 0x and 40 hex digits',
  description: 'Ethereum address.',
  examples: ['0x6b0bda3f2ffed5efc83fa8c024acff1dd45793f1'],
})

export const SolAddress = Type.String({
  $id: 'SolAddress',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  description: 'Solana address.',
  examples: ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs'],
})

export const CastHash = Type.String({
  $id: 'CastHash',
  pattern: '^(0x)?[a-fA-F0-9]{40}$',
  description: 'Hash of a cast.',
  examples: ['0x71d5225f77e0164388b1d4c120825f3a2c1f131c'],
})

export const DateTime = Type.String({ format: 'date-time', examples: ['2026-05-01T12:00:00.000Z'] })
export const Uri = Type.String({ format: 'uri', examples: ['https://example.com/garden'] })
export const Uuid = Type.String({ format: 'uuid', examples: ['0f6c5ea2-6f1f-4f0b-9d3c-2b8e7a1d4c55'] })
export const Count = Type.Integer({ format: 'int32', minimum: 0, examples: [12] })

// Strings that the hosted API describes without a pattern. They have no `$id`, since clients have no such schema.
export const Username = Type.String({ examples: ['dwr'] })
export const HashString = Type.String({ examples: ['0x71d5225f77e0164388b1d4c120825f3a2c1f131c'] })
export const TransactionHash = Type.String({
  examples: ['0x2f1c5bd1bd8b5d9c4d1a1b6f0c7a3e9d8b6a5c4f3e2d1c0b9a8f7e6d5c4b3a29'],
})
/** The example of an Ethereum signature. */
export const exampleSignature = `0x${'1f2e3d4c5b6a7988'.repeat(8)}1b`
export const Url = Type.String({ examples: ['https://example.com/garden'] })
export const ImageUrl = Type.String({ examples: ['https://example.com/images/garden.png'] })
export const ChannelId = Type.String({ examples: ['gardening'] })
export const CastText = Type.String({ examples: ['The first tomatoes are ripe.'] })

/** A range of a text in UTF-16 code units, as JavaScript indexes strings. */
export const TextRange = Type.Object(
  {
    start: Type.Number({ minimum: 0, description: 'First position.', examples: [0] }),
    end: Type.Number({ minimum: 0, description: 'Position after the last one.', examples: [4] }),
  },
  {
    $id: 'TextRange',
    description:
      'Range of a text. Positions count UTF-16 code units: `text.slice(start, end)` in JavaScript.',
  },
)
export type TextRange = Static<typeof TextRange>

export const ChannelMemberRole = textEnum(['member', 'moderator', 'owner'], { $id: 'ChannelMemberRole' })
export type ChannelMemberRole = Static<typeof ChannelMemberRole>

/** The cursor of the next page. */
export const NextCursor = Type.Object(
  {
    cursor: nullable(
      Type.String({ description: '`cursor` of the next request.', examples: ['WyJmZWVkIiwxNjM1OTAwMDBd'] }),
    ),
  },
  { $id: 'NextCursor', description: '`cursor` is null on the last page.' },
)

/** An object that is a component of the OpenAPI document. */
export function namedObject<Members extends TProperties>($id: string, members: Members) {
  return Type.Object(members, { $id })
}

/** Allows null. */
export function nullable<Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}) {
  return Type.Union([schema, Type.Null()], options)
}

/** One of these strings. */
export function textEnum<const Choice extends string>(choices: readonly Choice[], options: object = {}) {
  const literals = choices.map((choice) => Type.Literal(choice))
  // A union of a list loses the literal types; at run time it stays a union.
  return Type.Unsafe<Choice>(Type.Union(literals, options))
}

/** Marks a schema as deprecated. */
export function deprecated<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema>>({ ...schema, deprecated: true, description })
}
