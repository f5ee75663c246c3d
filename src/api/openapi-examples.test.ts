import { FormatRegistry, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { describe, expect, it } from 'vitest'
import { adminOperations } from '../app/admin-operations.js'
import { operations } from '../app/operations.js'
import { parseUrl } from '../platform/text/parse-url.js'
import { isUuid } from '../platform/text/uuid.js'
import type { AdminOperationDescription } from './admin/admin-operation.js'
import { documentedPath, openApiDocument } from './openapi.js'
import { exampleOf } from './openapi-example.js'
import type { OperationDescription } from './operation.js'
import { compileBody } from './parse-body.js'
import { compileQuery } from './parse-query.js'

FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)) && text.endsWith('Z'))
FormatRegistry.Set('uuid', isUuid)
FormatRegistry.Set('uri', (text) => parseUrl(text) !== null)

const MAX_DOCUMENT_BYTES = 850_000

interface Content {
  readonly 'application/json': {
    readonly example?: unknown
    readonly examples?: { readonly reply: { readonly $ref: string } }
  }
}

interface DocumentedOperation {
  readonly summary: string
  readonly description: string
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly example?: unknown }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: { readonly examples: Readonly<Record<string, { readonly value: unknown }>> }
}

const document = openApiDocument({ operations, adminOperations }) as unknown as Document

type Described = OperationDescription | AdminOperationDescription
const described: readonly (readonly [string, Described, DocumentedOperation])[] = [
  ...operations.map((operation) => caseOf(operation, documentedPath(operation.path))),
  ...adminOperations.map((operation) => caseOf(operation, `/admin/${operation.path}`)),
]

function caseOf(operation: Described, path: string) {
  const documented = document.paths[path]![operation.method.toLowerCase()]!
  return [`${operation.method} ${operation.path}`, operation, documented] as const
}

describe.each(described)('%s', (_name, operation, documented) => {
  it('has a summary and a description', () => {
    const { summary, description } = documented
    expect(summary).toMatch(/^[A-Z].{0,58}[^.]$/)
    expect(description).toMatch(/^[A-Z`].*[.`]$/s)
    expect(description).not.toContain('undefined')
  })

  it('example of the request: parsed by the server -> accepted', () => {
    for (const [location, schema] of parameterSchemas(operation)) {
      const inPath = (name: string) => location === 'query' && operation.path.includes(`:${name}`)
      const found = documented.parameters.filter(
        (each) => (each.in === location || inPath(each.name)) && 'example' in each,
      )
      const texts = Object.fromEntries(found.map(({ name, example }) => [name, queryText(example)]))
      expect(() => compileQuery(schema)(texts)).not.toThrow()
      expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(texts)))
    }
    const body = documented.requestBody?.content['application/json'].example
    if (operation.body) expect(() => compileBody(operation.body!)(body)).not.toThrow()
    else expect(body).toBeUndefined()
  })

  it('example of the reply: checked against its schema -> valid', () => {
    const usualStatus = 'status' in operation ? operation.status : 200
    const others = 'otherReplies' in operation ? Object.entries(operation.otherReplies ?? {}) : []
    const replies = [[usualStatus, operation.reply], ...others.map(([status, { reply }]) => [status, reply])]
    for (const [status, schema] of replies as [number, TSchema][]) {
      const example = replyExample(documented.responses[status]!.content!)
      expect([...Value.Errors(schema, example)].map(({ path, message }) => `${path} ${message}`)).toEqual([])
    }
  })
})

it('the document stays small', () => {
  expect(JSON.stringify(document).length).toBeLessThan(MAX_DOCUMENT_BYTES)
})

describe('exampleOf', () => {
  it.each([
    ['an example', Type.String({ examples: ['dwr'] }), 'dwr'],
    ['a default', Type.Integer({ minimum: 1, default: 25 }), 25],
    ['a bound', Type.Integer({ minimum: 5, maximum: 9 }), 5],
    ['the first branch of a union', Type.Union([Type.Literal('a'), Type.Literal('b')]), 'a'],
    ['an item of a list', Type.Array(Type.Object({ ok: Type.Boolean() })), [{ ok: true }]],
    ['members without those left out', memberSchema(), { fid: 3 }],
  ])('%s', (_what, schema, expected) => {
    expect(exampleOf(schema)).toEqual(expected)
  })

  it('a string without an example -> an error with its path', () => {
    const schema = Type.Object({ casts: Type.Array(Type.Object({ text: Type.String() })) })
    expect(() => exampleOf(schema)).toThrow('no example for casts[].text')
  })
})

function memberSchema(): TObject {
  return Type.Object({
    fid: Type.Integer({ examples: [3] }),
    cursor: Type.Optional(Type.String({ examples: [] })),
    old: Type.Optional(Type.Boolean({ deprecated: true })),
  })
}

function parameterSchemas(operation: Described): [string, TObject][] {
  return [
    ...(operation.query ? [['query', operation.query] as [string, TObject]] : []),
    ...('params' in operation ? [['path', operation.params] as [string, TObject]] : []),
    ...('headers' in operation && operation.headers
      ? [['header', operation.headers] as [string, TObject]]
      : []),
  ]
}

/** A parameter as clients write it into a URL. */
function queryText(example: unknown): string {
  return Array.isArray(example) ? example.join(',') : String(example)
}

function replyExample(content: Content): unknown {
  const { example, examples } = content['application/json']
  if (!examples) return example
  return document.components.examples[examples.reply.$ref.split('/').at(-1)!]!.value
}
