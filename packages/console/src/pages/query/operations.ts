/** A JSON schema of the OpenAPI document, as far as forms use it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}

/** A parameter of an operation. */
export interface OperationParameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: JsonSchema
  readonly example: unknown
}

/** An operation of the main API, as the document describes it. */
export interface ApiOperation {
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly tag: string
  /** Whether it changes or spends something. */
  readonly isChange: boolean
  readonly parameters: readonly OperationParameter[]
  /** The example of its body, as text; null where it has none. */
  readonly bodyExample: string | null
}

interface RawOperation {
  readonly summary?: string
  readonly description?: string
  readonly tags?: readonly string[]
  readonly 'x-plaza-change'?: boolean
  readonly parameters?: readonly (Partial<OperationParameter> & { readonly name: string })[]
  readonly requestBody?: { readonly content?: Record<string, { readonly example?: unknown }> }
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

/** The name of an operation in lists and tables: `GET /v2/social/cast/`. */
export function nameOf({ method, path }: Pick<ApiOperation, 'method' | 'path'>): string {
  return `${method} ${path}`
}

/** Loads the document of this server, and lists the operations of the main API. */
export async function loadOperations(): Promise<ApiOperation[]> {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`the OpenAPI document could not be loaded: ${response.status}`)
  const document = (await response.json()) as OpenApi
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith('/v'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => read(document, method, path, operation)),
    )
}

function read(document: OpenApi, method: string, path: string, operation: RawOperation): ApiOperation {
  const example = operation.requestBody?.content?.['application/json']?.example
  return {
    method: method.toUpperCase(),
    path,
    summary: operation.summary ?? path,
    description: operation.description ?? '',
    tag: operation.tags?.[0] ?? 'Others',
    isChange: operation['x-plaza-change'] ?? method !== 'get',
    parameters: (operation.parameters ?? []).map((parameter) => {
      const schema = resolve(document, parameter.schema ?? {})
      return {
        name: parameter.name,
        in: parameter.in ?? 'query',
        required: parameter.required === true,
        description: parameter.description ?? '',
        schema,
        example: parameter.example ?? schema.examples?.[0],
      }
    }),
    bodyExample: operation.requestBody === undefined ? null : JSON.stringify(example ?? {}, null, 2),
  }
}

/** The schema that a reference names, one level deep. */
function resolve(document: OpenApi, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : { ...document.components?.schemas?.[name], ...schema }
}

/** The values that a parameter can have, if it is one of some. */
export function choicesOf({ enum: values, anyOf }: JsonSchema): string[] | null {
  const constants = anyOf?.every((each) => each.const !== undefined) ? anyOf.map((each) => each.const) : null
  const choices = values ?? constants
  return choices ? choices.map(String) : null
}

/** Bounds of a parameter in words. */
export function boundsOf({ minimum, maximum, maxLength, maxItems, default: given }: JsonSchema): string {
  const texts = [
    minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : null,
    minimum !== undefined && maximum === undefined ? `at least ${minimum}` : null,
    minimum === undefined && maximum !== undefined ? `at most ${maximum}` : null,
    maxLength === undefined ? null : `at most ${maxLength} characters`,
    maxItems === undefined ? null : `at most ${maxItems} values, separated by commas`,
    given === undefined ? null : `${String(given)} unless given`,
  ]
  return texts.filter((text) => text !== null).join('; ')
}
