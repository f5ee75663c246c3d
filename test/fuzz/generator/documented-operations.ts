import type { JsonSchema } from './schema-values.js'

/** A parameter of the document. */
export interface DocumentedParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
}

interface Content {
  readonly content?: {
    readonly 'application/json': { readonly schema: JsonSchema; readonly example?: unknown }
  }
  readonly $ref?: string
}

/** The part of an OpenAPI document that the run works with. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly responses: Readonly<Record<string, Content>>
  }
}

interface DocumentedOperation {
  readonly parameters: readonly DocumentedParameter[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

/** An operation that requests are made for. */
export interface OperationUnderTest {
  /** `GET /v2/social/cast/`, with the path of its document. */
  readonly id: string
  readonly method: string
  /** Paths with `{name}`; the first is the documented one. */
  readonly paths: readonly string[]
  readonly parameters: readonly DocumentedParameter[]
  readonly body?: { readonly schema: JsonSchema; readonly example?: unknown }
  readonly document: OpenApiDocument
  /** Where in the document it is. */
  readonly documentPath: string
}

/** The operations of a document. `alias` returns further paths of a path. */
export function operationsOf(
  document: OpenApiDocument,
  alias: (path: string) => readonly string[],
): OperationUnderTest[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters, requestBody }]) => {
      const content = requestBody?.content?.['application/json']
      const paths = alias(path)
      return {
        id: `${method.toUpperCase()} ${paths[0]}`,
        method: method.toUpperCase(),
        paths,
        parameters,
        ...(content && { body: content }),
        document,
        documentPath: path,
      }
    }),
  )
}

/** The component that a reference names. */
export function componentOf(document: OpenApiDocument, reference: string): JsonSchema {
  const found = document.components.schemas[reference.split('/').at(-1) ?? '']
  if (found === undefined) throw new Error(`the document has no ${reference}`)
  return found
}
