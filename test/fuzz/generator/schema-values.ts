import type { Random } from '../../fidelity/generator/random.js'
import { type Bounds, hostileNumber, hostileText, wrongType } from './hostile-values.js'
import { type KnownValues, knownValue } from './known-values.js'

/** A JSON schema of the OpenAPI document, as far as requests use it. */
export interface JsonSchema extends Bounds {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly pattern?: string
  readonly format?: string
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
}

/** What values are made from. */
export interface ValueSource {
  readonly random: Random
  readonly known: KnownValues
  /** Finds the component of a `$ref`. */
  readonly resolve: (reference: string) => JsonSchema
}

/** Deeper schemas refer to themselves. */
const MAX_DEPTH = 12

/** A value that the schema accepts, from what the network holds where the name says so. */
export function validValue(
  given: JsonSchema,
  name: string,
  source: ValueSource,
  example?: unknown,
  depth = 0,
): unknown {
  const { random, known } = source
  const schema = given.$ref === undefined ? given : source.resolve(given.$ref)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.type === 'object' || schema.properties) return validObject(schema, source, example, depth)
  if (schema.type === 'array') return validList(schema, name, source, example, depth)
  const found = knownValue(name, random, known)
  const isFitting =
    schema.type === undefined || typeof found === (schema.type === 'string' ? 'string' : 'number')
  if (found !== undefined && isFitting && schema.type !== 'boolean' && random.chance(85)) return found
  if (example !== undefined && random.chance(70)) return example
  if (schema.anyOf) return validValue(random.pick(schema.anyOf), name, source, undefined, depth + 1)
  return validScalar(schema, random, example)
}

function validScalar(schema: JsonSchema, random: Random, example: unknown): unknown {
  const { minimum = 0, maximum = 1_000, minLength = 1, maxLength = 40 } = schema
  switch (schema.type) {
    case 'integer':
      return random.chance(30)
        ? random.pick([minimum, maximum])
        : random.between(minimum, Math.min(maximum, minimum + 50))
    case 'number':
      return minimum + random.below(100) / 100
    case 'boolean':
      return random.chance(50)
    case 'null':
      return null
    default:
      if (schema.pattern !== undefined || schema.format !== undefined)
        return example ?? schema.examples?.[0] ?? 'x'
      return 'hello world '.repeat(10).slice(0, random.between(minLength, Math.min(maxLength, 100)))
  }
}

function validObject(schema: JsonSchema, source: ValueSource, example: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return {}
  const examples = (typeof example === 'object' && example !== null ? example : {}) as Record<string, unknown>
  const required = new Set(schema.required)
  const members = Object.entries(schema.properties ?? {}).filter(
    ([name]) => required.has(name) || source.random.chance(35),
  )
  return Object.fromEntries(
    members.map(([name, member]) => [name, validValue(member, name, source, examples[name], depth + 1)]),
  )
}

function validList(
  schema: JsonSchema,
  name: string,
  source: ValueSource,
  example: unknown,
  depth: number,
): unknown {
  const { items = {}, minItems = 0, maxItems = 100 } = schema
  const [first] = Array.isArray(example) ? example : []
  const length = source.random.between(minItems, Math.max(minItems, Math.min(maxItems, minItems + 3)))
  return Array.from({ length }, () => validValue(items, name, source, first, depth + 1))
}

/** A value at or over a bound of the schema, of the wrong type, or known to be mistaken. */
export function hostileValue(given: JsonSchema, source: ValueSource): unknown {
  const { random } = source
  const schema = given.$ref === undefined ? given : source.resolve(given.$ref)
  if (random.chance(25)) return wrongType(random)
  if (schema.anyOf && random.chance(60)) return hostileValue(random.pick(schema.anyOf), source)
  if (schema.type === 'integer' || schema.type === 'number') return hostileNumber(random, schema)
  if (schema.type === 'array' && random.chance(60)) {
    const { items = {}, maxItems = 100, minItems = 0 } = schema
    const length = Math.min(5_000, Math.max(0, random.pick([minItems, maxItems]) + random.between(-1, 1)))
    const isSame = random.chance(50)
    const item = isSame ? validValue(items, 'item', source) : hostileValue(items, source)
    return Array.from({ length }, () => item)
  }
  return hostileText(random, schema)
}

/** Replaces a random part of a value by a hostile one: a copy. */
export function withHostilePart(value: unknown, schema: JsonSchema, source: ValueSource): unknown {
  const { random } = source
  const resolved = schema.$ref === undefined ? schema : source.resolve(schema.$ref)
  if (Array.isArray(value) && value.length > 0 && random.chance(60)) {
    const at = random.below(value.length)
    return value.map((each, n) => (n === at ? withHostilePart(each, resolved.items ?? {}, source) : each))
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject || random.chance(3)) return hostileValue(schema, source)
  const declared = Object.keys(resolved.properties ?? {})
  const names = [...new Set([...Object.keys(value), ...declared])]
  const members = value as Record<string, unknown>
  if (names.length === 0 || random.chance(8))
    return { ...members, [random.pick(['unknown', 'toString', ''])]: wrongType(random) }
  const name = random.pick(names)
  if (random.chance(12)) return Object.fromEntries(Object.entries(members).filter(([each]) => each !== name))
  return { ...members, [name]: withHostilePart(members[name], resolved.properties?.[name] ?? {}, source) }
}
