import type { TSchema } from '@sinclair/typebox'
import { version } from '../platform/process/version.js'
import { APP_HEADER } from './admin/admin-as-app.js'
import type { AdminOperationDescription } from './admin/admin-operation.js'
import {
  adminFailures,
  errorReferences,
  failures,
  operationFailures,
  rateHeaders,
  sharedResponses,
} from './openapi-errors.js'
import { exampleOf, requestExample } from './openapi-example.js'
import { createSchemaWriter, type JsonValue, type SchemaWriter } from './openapi-schema.js'
import { isChange, type OperationDescription, operationTags, pathsOf } from './operation.js'
import { isRequired } from './parse-query.js'
import type { UnservedOperation } from './register-unserved.js'

const description = `An open, self-hosted server that is compatible with the Neynar API for Farcaster (v2). Plaza is not affiliated with
Neynar.

Every operation below \`/v2/social/\` is also available below \`/v2/farcaster/\`, with or without a trailing slash.
Undeclared parameters and the header \`x-service-experimental\` are ignored. Lists are comma-separated values or a
repeated parameter.`

const adminTag = {
  Admin:
    'What an operator sees and does: apps, keys, processes, maintenance, tokens, accounts, the audit log. Requires ' +
    '`ADMIN_TOKEN`, or a session of the console; without both, every path is a 404.',
}

/** The operations of the main API and of the admin API. */
export interface ApiDescription {
  readonly operations: readonly OperationDescription[]
  readonly adminOperations: readonly AdminOperationDescription[]
  /** Operations of the hosted API that the description names as not served. */
  readonly unserved?: readonly UnservedOperation[]
}

/** Writes the OpenAPI 3.1 document of these operations. */
export function openApiDocument({
  operations,
  adminOperations,
  unserved = [],
}: ApiDescription): Record<string, JsonValue> {
  const writer = createSchemaWriter()
  const paths: Record<string, Record<string, JsonValue>> = {}
  const add = (path: string, method: string, operation: JsonValue) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const operation of operations) {
    add(documentedPath(operation.path), operation.method, operationObject(operation, writer))
  }
  for (const operation of adminOperations) {
    add(`/admin/${operation.path}`, operation.method, adminOperationObject(operation, writer))
  }
  const usedTags = Object.entries(operationTags).filter(([name]) =>
    operations.some(({ tag }) => tag === name),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Plaza',
      version,
      description: `${description}${unservedText(unserved)}`,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ ApiKeyAuth: [] }, { AdminToken: [], AppOfAdmin: [] }],
    tags: [...usedTags, ...Object.entries(adminTag)].map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: {
        ApiKeyAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'API key, created by `plaza key create` or the admin API.',
        },
        UserToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'Token of a user, signed by an app key or by an issuer that the server trusts.',
        },
        AdminToken: {
          type: 'http',
          scheme: 'bearer',
          description: '`ADMIN_TOKEN` of the server.',
        },
        AppOfAdmin: {
          type: 'apiKey',
          in: 'header',
          name: APP_HEADER,
          description:
            'Id or name of an app. With the admin token, requests are those of this app, without its key.',
        },
      },
      responses: sharedResponses(writer),
      examples: writer.examples,
      schemas: writer.components,
    },
  }
}

/** The full path of an operation as the document writes it. */
export function documentedPath(path: string): string {
  return `${pathsOf(path)[0].replaceAll(/:(\w+)/g, '{$1}')}/`
}

function operationObject(operation: OperationDescription, writer: SchemaWriter): JsonValue {
  const { tag, reply, otherReplies = {}, deprecatedSince } = operation
  const { authorization, ...headers } = operation.headers?.properties ?? {}
  return {
    ...described(operation, operationId(operation.method, operation.path)),
    tags: [tag],
    'x-plaza-change': isChange(operation),
    // As a parameter this header would be ignored (OpenAPI 3.1, Parameter Object).
    ...(authorization === undefined
      ? {}
      : { security: [{ ApiKeyAuth: [] }, { ApiKeyAuth: [], UserToken: [] }] }),
    ...(operation.isKeyless ? { security: [] } : {}),
    ...(deprecatedSince === undefined ? {} : { deprecated: true }),
    parameters: [...queryParameters(operation, writer), ...parameters('header', headers, writer)],
    ...requestBody(operation, writer),
    responses: {
      [operation.status ?? 200]: {
        description: operation.status === 201 ? 'Created.' : 'Success.',
        headers: rateHeaders,
        content: replyContent(reply, writer, operation.example?.reply),
      },
      ...Object.fromEntries(
        Object.entries(otherReplies).map(([status, other]) => [
          status,
          {
            description: other.description,
            headers: rateHeaders,
            content: replyContent(other.reply, writer),
          },
        ]),
      ),
      ...operationFailures(operation, rateHeaders, writer),
      ...errorReferences(failures, operation.body !== undefined),
    },
  }
}

/** Parameters of the query, and those that stand in the path. */
function queryParameters({ path, query }: OperationDescription, writer: SchemaWriter): JsonValue[] {
  const properties = Object.entries(query?.properties ?? {})
  const inPath = ([name]: readonly [string, TSchema]) => path.includes(`:${name}`)
  return [
    ...parameters('path', Object.fromEntries(properties.filter(inPath)), writer),
    ...parameters('query', Object.fromEntries(properties.filter((each) => !inPath(each))), writer),
  ]
}

/** The section of the description about operations that are answered with 501. */
function unservedText(unserved: readonly UnservedOperation[]): string {
  if (unserved.length === 0) return ''
  const rows = unserved.map(({ method, paths, reason }) => `| \`${method} ${paths[0]}\` | ${reason} |`)
  return [
    '\n\n## Operations of the hosted API that are not served',
    'They answer 501 `NotImplemented`, which names the operation and the reason.',
    ['| operation | reason |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n')
}

function adminOperationObject(operation: AdminOperationDescription, writer: SchemaWriter): JsonValue {
  const { method, path, status, reply } = operation
  return {
    ...described(operation, operationId(method, `admin/${path}`)),
    tags: Object.keys(adminTag),
    security: [{ AdminToken: [] }],
    parameters: [
      ...parameters('path', operation.params.properties, writer),
      ...parameters('query', operation.query?.properties, writer),
    ],
    ...requestBody(operation, writer),
    responses: {
      [status]: {
        description: status === 201 ? 'Created.' : 'Success.',
        content: replyContent(reply, writer, operation.example?.reply),
      },
      ...operationFailures(operation, {}, writer),
      ...errorReferences(adminFailures, operation.body !== undefined),
    },
  }
}

function described(
  { summary, description: text }: { readonly summary: string; readonly description: string },
  id: string,
): Record<string, JsonValue> {
  return { operationId: id, summary, description: text }
}

function requestBody(
  operation: OperationDescription | AdminOperationDescription,
  writer: SchemaWriter,
): Record<string, JsonValue> {
  const { body } = operation
  if (body === undefined) return {}
  const example = requestExample(operation) as JsonValue
  return { requestBody: { required: true, content: jsonContent(body, writer, { example }) } }
}

/** The content of a reply. Operations with the same named schema share its example. */
function replyContent(schema: TSchema, writer: SchemaWriter, example?: unknown): JsonValue {
  const { $id: name } = schema
  if (example !== undefined || name === undefined) {
    return jsonContent(schema, writer, { example: (example ?? exampleOf(schema)) as JsonValue })
  }
  writer.examples[name] ??= { value: exampleOf(schema) as JsonValue }
  return jsonContent(schema, writer, { examples: { reply: { $ref: `#/components/examples/${name}` } } })
}

function jsonContent(
  schema: TSchema,
  writer: SchemaWriter,
  example: Record<string, JsonValue> = {},
): JsonValue {
  return { 'application/json': { schema: writer.write(schema), ...example } }
}

/** `GET user/by_username` is `getUserByUsername`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/)
  const capitalized = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${method.toLowerCase()}${capitalized.join('')}`
}

function parameters(
  location: 'path' | 'query' | 'header',
  declared: Readonly<Record<string, TSchema>> | undefined,
  writer: SchemaWriter,
): JsonValue[] {
  return Object.entries(declared ?? {}).map(([name, property]) => {
    const { description: text, deprecated, examples: _, ...schema } = property
    const example = exampleOf(property, name)
    return {
      name,
      in: location,
      required: isRequired(property) || property.isDocumentedRequired === true,
      ...(typeof text === 'string' ? { description: text } : {}),
      ...(deprecated === true ? { deprecated } : {}),
      ...(property.type === 'array' ? { style: 'form', explode: false } : {}),
      schema: writer.write(schema as TSchema),
      ...(example === undefined ? {} : { example: example as JsonValue }),
    }
  })
}
