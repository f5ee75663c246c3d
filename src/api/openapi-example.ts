import { KindGuard, OptionalKind, type TObject, type TSchema } from '@sinclair/typebox'
import type { OperationExample } from './operation.js'
import { textsOf } from './parse-query.js'

/** The documented parts of an operation that the example of a request is built from. */
interface RequestSource {
  readonly query?: TObject
  readonly body?: TObject
  readonly example?: OperationExample
}

/** The example of an operation's query or body; empty if it takes neither. */
export function requestExample({ query, body, example }: RequestSource): Readonly<Record<string, unknown>> {
  const schema = body ?? query
  return example?.request ?? (schema ? objectExample(schema, '') : {})
}

/**
 * Builds an example from a schema: from `examples` or `default`, else from its parts. Members without an example and
 * deprecated optional members are left out.
 *
 * @returns undefined for `examples: []`, and for a schema that refers to itself.
 * @throws Error for a string without `examples`: nobody could guess a value that looks real.
 */
export function exampleOf(schema: TSchema, path = ''): unknown {
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (KindGuard.IsLiteral(schema)) return schema.const
  if (KindGuard.IsNull(schema)) return null
  if (KindGuard.IsThis(schema)) return undefined
  if (KindGuard.IsObject(schema)) return objectExample(schema, path)
  if (KindGuard.IsArray(schema)) {
    const item = exampleOf(schema.items, `${path}[]`)
    return item === undefined ? [] : [item]
  }
  if (KindGuard.IsRecord(schema)) {
    const [value] = Object.values(schema.patternProperties)
    return { [schema.exampleKey]: exampleOf(value!, `${path}{}`) }
  }
  const [text] = textsOf(schema) ?? []
  if (text !== undefined) return text
  if (KindGuard.IsUnion(schema)) return exampleOf(schema.anyOf[0]!, path)
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') {
    return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? 1)
  }
  throw new Error(`no example for ${path}`)
}

function objectExample(schema: TObject, path: string): Record<string, unknown> {
  const members = Object.entries(schema.properties).flatMap(([name, property]) => {
    if (property[OptionalKind] !== undefined && property.deprecated === true) return []
    const value = exampleOf(property, path === '' ? name : `${path}.${name}`)
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(members)
}
