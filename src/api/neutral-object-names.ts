import { KindGuard, type TSchema } from '@sinclair/typebox'
import { hostedNames } from '../graph/view/schema/hosted-names.js'
import type { OperationDescription } from './operation.js'

/** Renames the values of `object` in rendered JSON. */
type Rename = (json: Buffer) => string

/** How the replies of an operation are renamed for `/v2/social`; null when none of its objects has two names. */
export function neutralObjectNames({ reply, otherReplies = {} }: OperationDescription): Rename | null {
  const literals = new Set(
    [reply, ...Object.values(otherReplies).map((other) => other.reply)].flatMap(textsIn),
  )
  const pairs = Object.entries(hostedNames.objects).filter(([, hosted]) => literals.has(hosted))
  if (pairs.length === 0) return null
  // Within a JSON string the quotes would be escaped, so that no text of a user can match.
  return (json) =>
    pairs.reduce(
      (text, [name, hosted]) => text.replaceAll(`"object":"${hosted}"`, `"object":"${name}"`),
      json.toString(),
    )
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
