import type { TObject, TSchema } from '@sinclair/typebox'
import { ErrorRes } from '../graph/view/schema/error.js'
import { version } from '../platform/process/version.js'
import type { AdminOperationDescription } from './admin/admin-operation.js'
import { createSchemaWriter, type Json, type SchemaWriter } from './openapi-schema.js'
import { type OperationDescription, operationTags } from './operation.js'
import { isRequired } from './parse-query.js'

const description = `A social network API.

Every operation is reached by two names, \`/v2/social/…\` and \`/v2/farcaster/…\`, with a slash at the end or without.
Parameters that an operation does not declare are left alone; so is the header \`x-service-experimental\`, which has no
effect here. Lists are given between commas, or by repeating the parameter.`

const adminTag = {
  Admin:
    'For whoever runs the server: apps and their keys. It is there when the server has an `ADMIN_TOKEN`; ' +
    'otherwise every path is a 404.',
}

/** What stands in the document: the operations of apps, and those of whoever runs the server. */
export interface ApiDescription {
  readonly operations: readonly OperationDescription[]
  readonly adminOperations: readonly AdminOperationDescription[]
}

/** The OpenAPI 3.1 document of these operations. */
export function openApiDocument({ operations, adminOperations }: ApiDescription): Record<string, Json> {
  const writer = createSchemaWriter()
  const paths: Record<string, Record<string, Json>> = {}
  const add = (path: string, method: string, operation: Json) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation }
  }
  for (const operation of operations) {
    add(`/v2/social/${operation.path}/`, operation.method, operationObject(operation, writer))
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
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ ApiKeyAuth: [] }],
    tags: [...usedTags, ...Object.entries(adminTag)].map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: {
        ApiKeyAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'Made by `plaza key create`, or by the admin API.',
        },
        UserToken: {
          type: 'http',
          scheme: 'bearer',
          description: "A token of the user's: signed by an app key, or issued by whom the server believes.",
        },
        AdminToken: {
          type: 'http',
          scheme: 'bearer',
          description: '`ADMIN_TOKEN` of the server: for whoever runs it.',
        },
      },
      responses: sharedResponses(writer),
      schemas: writer.components,
    },
  }
}

function operationObject(operation: OperationDescription, writer: SchemaWriter): Json {
  const { tag, reply, otherReplies = {}, deprecated } = operation
  const { authorization, ...headers } = operation.headers?.properties ?? {}
  return {
    ...described(operation, operationId(operation.method, operation.path)),
    tags: [tag],
    // As a parameter this header would be ignored (OpenAPI 3.1, Parameter Object).
    ...(authorization === undefined
      ? {}
      : { security: [{ ApiKeyAuth: [] }, { ApiKeyAuth: [], UserToken: [] }] }),
    ...(deprecated === true ? { deprecated } : {}),
    parameters: [
      ...parameters('query', operation.query?.properties, writer),
      ...parameters('header', headers, writer),
    ],
    ...requestBody(operation.body, writer),
    responses: {
      200: { description: 'What was asked for.', headers: rateHeaders, content: jsonContent(reply, writer) },
      ...Object.fromEntries(
        Object.entries(otherReplies).map(([status, other]) => [
          status,
          { description: other.description, headers: rateHeaders, content: jsonContent(other.reply, writer) },
        ]),
      ),
      ...operationFailures(operation, rateHeaders, writer),
      ...references(failures),
    },
  }
}

function adminOperationObject(operation: AdminOperationDescription, writer: SchemaWriter): Json {
  const { method, path, status, reply } = operation
  return {
    ...described(operation, operationId(method, `admin/${path}`)),
    tags: Object.keys(adminTag),
    security: [{ AdminToken: [] }],
    parameters: [
      ...parameters('path', operation.params.properties, writer),
      ...parameters('query', operation.query?.properties, writer),
    ],
    ...requestBody(operation.body, writer),
    responses: {
      [status]: {
        description: status === 201 ? 'What was made.' : 'What was asked for.',
        content: jsonContent(reply, writer),
      },
      ...operationFailures(operation, {}, writer),
      ...references(adminFailures),
    },
  }
}

function described(
  { summary, description: text }: { readonly summary: string; readonly description?: string },
  id: string,
): Record<string, Json> {
  return { operationId: id, summary, ...(text === undefined ? {} : { description: text }) }
}

function requestBody(body: TObject | undefined, writer: SchemaWriter): Record<string, Json> {
  return body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body, writer) } }
}

interface OperationFailures {
  readonly paymentRequired?: string
  readonly forbidden?: string
  readonly notFound?: string
  readonly conflict?: string
  readonly unprocessable?: string
}

function operationFailures(
  { paymentRequired, forbidden, notFound, conflict, unprocessable }: OperationFailures,
  headers: Record<string, Json>,
  writer: SchemaWriter,
): Record<string, Json> {
  const texts = { 402: paymentRequired, 403: forbidden, 404: notFound, 409: conflict, 422: unprocessable }
  return Object.fromEntries(
    Object.entries(texts).flatMap(([status, text]) =>
      text === undefined ? [] : [[status, errorResponse(text, headers, writer)] as const],
    ),
  )
}

function jsonContent(schema: TSchema, writer: SchemaWriter): Json {
  return { 'application/json': { schema: writer.write(schema) } }
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
): Json[] {
  return Object.entries(declared ?? {}).map(([name, property]) => {
    const { description: text, deprecated, ...schema } = property
    return {
      name,
      in: location,
      required: isRequired(property),
      ...(typeof text === 'string' ? { description: text } : {}),
      ...(deprecated === true ? { deprecated } : {}),
      ...(property.type === 'array' ? { style: 'form', explode: false } : {}),
      schema: writer.write(schema as TSchema),
    }
  })
}

const rateHeaders: Record<string, Json> = {
  'RateLimit-Limit': {
    description: 'Requests per minute. It and the next two are sent where the key has a limit.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': { description: 'Requests that may follow at once.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until all may be used again.', schema: { type: 'integer' } },
}

const retryHeader: Record<string, Json> = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
}

interface Failure {
  /** Among the components. */
  readonly name: string
  readonly text: string
  readonly headers?: Record<string, Json>
}
type Failures = Readonly<Record<number, Failure>>

const invalidInput = 'A parameter, or a member of the body, is wrong: `property` names it.'
const serverFailure = 'A failure of the server; `message` holds the id that its log has.'

/** What every operation may answer. A key has to be known before its limit is. */
const failures: Failures = {
  400: { name: 'BadRequest', text: invalidInput, headers: rateHeaders },
  401: {
    name: 'Unauthorized',
    text: 'The API key, or the bearer token, is missing, wrong or no longer good.',
  },
  429: {
    name: 'TooManyRequests',
    text: 'The key is over its limit.',
    headers: { ...rateHeaders, ...retryHeader },
  },
  500: { name: 'InternalError', text: serverFailure, headers: rateHeaders },
  503: { name: 'Unavailable', text: 'The database is away.', headers: { ...rateHeaders, ...retryHeader } },
}

/** What every operation of the admin API may answer. */
const adminFailures: Failures = {
  400: { name: 'AdminBadRequest', text: invalidInput },
  401: { name: 'AdminUnauthorized', text: 'The admin token is missing or wrong.' },
  429: {
    name: 'AdminTooManyAttempts',
    text: 'Too many wrong tokens came from this address.',
    headers: retryHeader,
  },
  500: { name: 'AdminInternalError', text: serverFailure },
  503: { name: 'AdminUnavailable', text: 'The database is away.', headers: retryHeader },
}

function references(all: Failures): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(all).map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }]),
  )
}

function sharedResponses(writer: SchemaWriter): Json {
  return Object.fromEntries(
    [...Object.values(failures), ...Object.values(adminFailures)].map(({ name, text, headers = {} }) => [
      name,
      errorResponse(text, headers, writer),
    ]),
  )
}

function errorResponse(
  text: string,
  headers: Record<string, Json>,
  writer: SchemaWriter,
): Record<string, Json> {
  return {
    description: text,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: jsonContent(ErrorRes, writer),
  }
}
