import { type Static, type TSchema, Type } from '@sinclair/typebox'

/**
 * Conventions of the schemas in this folder:
 *
 * - One file per noun. A schema with an `$id` becomes a component of the OpenAPI document under that name;
 *   where another schema uses it, it is inserted, and the document refers to the component.
 * - Required members are always present, with null for no value where the schema allows null.
 * - Members that are optional and nullable are always present, too, with null for no value.
 * - Lists and counters are always present, also where they are optional: empty, or 0.
 * - An optional member that may not be null is left out only if no value of the schema would be true: a user
 *   without a location has no `location`, a channel without an image has no `image_url`. The types of the
 *   published client allow a missing member there, and no null.
 * - `viewer_context` is present exactly when the request names a viewer.
 * - A deprecated member is filled like any other, and marked.
 */

/** A schema that also allows null. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** A schema of one of these texts. */
export function textEnum<const Choice extends string>(choices: readonly Choice[], options: object = {}) {
  const literals = choices.map((choice) => Type.Literal(choice))
  // A union of a list loses its texts as types; at run time it is the same union.
  return Type.Unsafe<Choice>(Type.Union(literals, options))
}

/** A schema that is marked as deprecated. */
export function deprecated<Schema extends TSchema>(schema: Schema, description: string) {
  return Type.Unsafe<Static<Schema>>({ ...schema, deprecated: true, description })
}
