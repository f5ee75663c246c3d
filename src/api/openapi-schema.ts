import type { TSchema } from '@sinclair/typebox'
import { MAX_INT32 } from '../graph/view/schema/primitives.js'
import { objectNamesOf } from './neutral-object-names.js'
import { textsOf } from './parse-query.js'

/** A value of JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** Keywords that only this server reads. */
const ownKeywords = new Set(['$id', 'patternText', 'exampleKey', 'refusesEmpty', 'isDocumentedRequired'])
/** Schemas of these keywords have parts; their examples are written with the operations. */
const partKeywords = ['properties', 'items', 'anyOf', 'patternProperties']

/** Whether a schema without a format allows integers above int32, as clients read one without a format. */
function isWideInteger({ type, format, maximum = 0 }: TSchema): boolean {
  return type === 'integer' && format === undefined && maximum > MAX_INT32
}

/** Writer of the schemas of a document. */
export type SchemaWriter = ReturnType<typeof createSchemaWriter>

/** Creates the writer of one document of OpenAPI 3.1, which collects the named schemas as components. */
export function createSchemaWriter() {
  /** The components by `$id`. Complete only after all schemas are written. */
  const components: Record<string, JsonValue> = {}

  /** Examples of replies by the `$id` of their schemas, for `components.examples`. */
  const examples: Record<string, JsonValue> = {}

  /** Returns the schema, or a reference to its component. */
  function write(schema: TSchema): JsonValue {
    return typeof schema.$id === 'string' ? reference(schema, schema.$id) : plain(schema)
  }

  function reference(schema: TSchema, name: string): JsonValue {
    if (!(name in components)) {
      // Reserved first: a schema may refer to itself.
      components[name] = true
      const { deprecated: _, description, ...component } = schema
      const text = schema.deprecated === true || description === undefined ? {} : { description }
      components[name] = plain({ ...component, ...text } as TSchema)
    }
    const { description } = components[name] as { readonly description?: string }
    return {
      $ref: `#/components/schemas/${name}`,
      ...(schema.description === undefined || schema.description === description
        ? {}
        : { description: schema.description }),
      ...(schema.deprecated === true ? { deprecated: true } : {}),
    }
  }

  function plain(schema: TSchema): JsonValue {
    const texts = textsOf(schema) ?? objectNamesOf(schema.const)
    const hasParts = schema.examples?.length === 0 || partKeywords.some((keyword) => keyword in schema)
    const { anyOf: _, const: __, ...rest } = schema
    const body = texts ? { type: 'string', enum: texts, ...rest } : schema
    return Object.fromEntries(
      Object.entries(isWideInteger(schema) ? { format: 'int64', ...body } : body)
        .filter(([keyword]) => !ownKeywords.has(keyword) && !(keyword === 'examples' && hasParts))
        .map(([keyword, value]) => [keyword, keywordValue(keyword, value, schema)]),
    )
  }

  function keywordValue(keyword: string, value: unknown, schema: TSchema): JsonValue {
    if (keyword === 'properties' || keyword === 'patternProperties') {
      const properties = Object.entries(value as Record<string, TSchema>)
      return Object.fromEntries(properties.map(([name, property]) => [name, write(property)]))
    }
    if (keyword === 'items') return write(value as TSchema)
    if (keyword === 'additionalProperties' && typeof value === 'object') return write(value as TSchema)
    // A client may leave out what has a default.
    if (keyword === 'required') {
      return (value as string[]).filter((name) => schema.properties[name].default === undefined)
    }
    if (keyword === 'anyOf') return (value as TSchema[]).map(write)
    if (keyword === '$ref') return `#/components/schemas/${String(value)}`
    return value as JsonValue
  }

  return { components, examples, write }
}
