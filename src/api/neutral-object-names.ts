import { KindGuard, type TSchema } from '@sinclair/typebox'
import type { OperationDescription } from './operation.js'

/**
 * Objects that the hosted service names after itself, by Plaza's neutral name (docs/compatibility.md §26). `object` follows
 * the path: `/v2/farcaster` sends the hosted name, `/v2/social` the neutral one.
 */
const hostedObjects = { social_fungible: 'farcaster_fungible' } as const

/** Returns both names of an object, the neutral one first; null for a value that has one name. */
export function objectNamesOf(value: unknown): [string, string] | null {
  return Object.entries(hostedObjects).find(([, hosted]) => hosted === value) ?? null
}

/** Renames the values of `object` in rendered JSON. */
type Rename = (json: Buffer) => string | Buffer

/** How the replies of an operation are renamed for `/v2/social`. */
export function neutralObjectNames({ reply, otherReplies = {} }: OperationDescription): Rename {
  let pairs: readonly (readonly [string, string])[] | undefined
  return (json) => {
    pairs ??= objectsOf([reply, ...Object.values(otherReplies).map((other) => other.reply)])
    if (pairs.length === 0) return json
    // Within a JSON string the quotes would be escaped, so that no text of a user can match.
    return pairs.reduce(
      (text, [name, hosted]) => text.replaceAll(`"object":"${hosted}"`, `"object":"${name}"`),
      json.toString(),
    )
  }
}

/** The names of objects in schemas that have two. */
function objectsOf(schemas: readonly TSchema[]) {
  const literals = new Set(schemas.flatMap(textsIn))
  return Object.entries(hostedObjects).filter(([, hosted]) => literals.has(hosted))
}

/** The string literals of a schema. */
function textsIn(schema: TSchema): string[] {
  if (KindGuard.IsLiteral(schema)) return typeof schema.const === 'string' ? [schema.const] : []
  if (KindGuard.IsArray(schema)) return textsIn(schema.items)
  if (KindGuard.IsUnion(schema)) return schema.anyOf.flatMap(textsIn)
  if (KindGuard.IsObject(schema)) return Object.values(schema.properties).flatMap(textsIn)
  if (KindGuard.IsRecord(schema)) return Object.values(schema.patternProperties).flatMap(textsIn)
  return []
}
