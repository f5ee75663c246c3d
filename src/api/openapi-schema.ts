import type { TSchema } from '@sinclair/typebox'
import { textsOf } from './parse-query.js'

/** A value of JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Writes schemas as OpenAPI 3.1 has them, and gathers those that have a name. */
export interface SchemaWriter {
  /** By `$id`: for `components.schemas`. Full only when everything was written. */
  readonly components: Record<string, Json>
  /** The schema, or a reference to the component that it is. */
  write(schema: TSchema): Json
}

/** Keywords of ours that mean nothing to others. */
const ownKeywords = new Set(['$id', 'patternText'])
/** What a use of a component may say beside the reference; the component itself does not say `deprecated`. */
const usageKeywords = ['description', 'deprecated'] as const

/** A writer with no components yet; one for each document. */
export function createSchemaWriter(): SchemaWriter {
  const components: Record<string, Json> = {}

  function write(schema: TSchema): Json {
    return typeof schema.$id === 'string' ? reference(schema, schema.$id) : plain(schema)
  }

  function reference(schema: TSchema, name: string): Json {
    if (!(name in components)) {
      // Taken before it is written: a schema may hold itself.
      components[name] = true
      const { deprecated: _, description, ...component } = schema
      const text = schema.deprecated === true || description === undefined ? {} : { description }
      components[name] = plain({ ...component, ...text } as TSchema)
    }
    const usageNotes = schema.deprecated === true ? usageKeywords.filter((keyword) => keyword in schema) : []
    return {
      $ref: `#/components/schemas/${name}`,
      ...Object.fromEntries(usageNotes.map((keyword) => [keyword, schema[keyword] as Json])),
    }
  }

  function plain(schema: TSchema): Json {
    const texts = textsOf(schema)
    const { anyOf: _, ...rest } = schema
    const body = texts ? { type: 'string', enum: texts, ...rest } : schema
    return Object.fromEntries(
      Object.entries(body)
        .filter(([keyword]) => !ownKeywords.has(keyword))
        .map(([keyword, value]) => [keyword, keywordValue(keyword, value)]),
    )
  }

  function keywordValue(keyword: string, value: unknown): Json {
    if (keyword === 'properties') {
      const properties = Object.entries(value as Record<string, TSchema>)
      return Object.fromEntries(properties.map(([name, property]) => [name, write(property)]))
    }
    if (keyword === 'items') return write(value as TSchema)
    if (keyword === 'anyOf') return (value as TSchema[]).map(write)
    if (keyword === '$ref') return `#/components/schemas/${String(value)}`
    return value as Json
  }

  return { components, write }
}
