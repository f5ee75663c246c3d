import { type SchemaOptions, type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/**
 * Conventions of the schemas in this folder.
 *
 * - One file per noun. A schema with an `$id` becomes a component of the OpenAPI document, and other schemas refer to it.
 * - `examples` on strings, numbers and objects feed the examples of the document (`api/openapi-example.ts`). The
 *   examples of parts form the example of the whole; `examples: []` leaves an optional member out of it.
 * - Required members are always present, null if there is no value and the schema allows null.
 * - Members that are optional and nullable are always present too.
 * - Lists and counters are always present, also optional ones: empty, or 0.
 * - Any other optional member is left out if no value that the schema allows would be true: a user without a
 *   location has no `location`. The types of published clients allow a missing member there, and no null.
 * - `viewer_context` is present exactly when the request names a viewer.
 * - A deprecated member is filled like any other.
 */

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
