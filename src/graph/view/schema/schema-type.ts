import { type Static, type TSchema, Type } from '@sinclair/typebox'

/**
 * How the schemas of this folder are written.
 *
 * - One file per noun. A schema with an `$id` becomes a component of the OpenAPI document under that name; where
 *   another schema uses it, it is put in as it is, and the document refers to the component.
 * - Required members are always present, with null where there is nothing and the schema allows null.
 * - Members that are optional and nullable are always present too, null where there is nothing.
 * - Lists and counters are always present, also where they are optional: empty, or 0.
 * - An optional member that may not be null is left out only when no value that the schema allows would be
 *   true: a user without a location has no `location`, a channel without a picture has no `image_url`. The
 *   published client's types allow a missing member there, and no null.
 * - `viewer_context` is present exactly when the request names a viewer.
 * - A deprecated member is filled like any other, and marked.
 */

/** The value, or null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** One of these texts. */
export function textEnum<const Choice extends string>(choices: readonly Choice[], options: object = {}) {
  const literals = choices.map((choice) => Type.Literal(choice))
  // The union of a list loses the texts as types; at run time it stays the union that it is.
  return Type.Unsafe<Choice>(Type.Union(literals, options))
}

/** The schema, marked as one that new clients should not use. */
export function deprecated<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema>>({ ...schema, deprecated: true, description })
}
