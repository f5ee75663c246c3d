import type { TObject, TSchema } from '@sinclair/typebox'
import { version } from '../lib/version.js'
import { ErrorRes } from '../views/schema/error.js'
import { createSchemaWriter, type Json, type SchemaWriter } from './openapi-schema.js'
import { type Operation, operationTags } from './operation.js'
import { isRequired } from './parse-query.js'

const description = `A social network API.

Every operation is reached by two names, \`/v2/social/…\` and \`/v2/farcaster/…\`, with a slash at the end or without.
Parameters that an operation does not declare are left alone; so is the header \`x-service-experimental\`, which has no
effect here. Lists are given between commas, or by repeating the parameter.`

/** The OpenAPI 3.1 document of these operations. */
export function openApiDocument(operations: readonly Operation[]): Record<string, Json> {
  const writer = createSchemaWriter()
  const paths: Record<string, Record<string, Json>> = {}
  for (const operation of operations) {
    const path = `/v2/social/${operation.path}/`
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: operationObject(operation, writer) }
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
    tags: usedTags.map(([name, text]) => ({ name, description: text })),
    paths,
    components: {
      securitySchemes: {
        ApiKeyAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'Made by `plaza key create`.',
        },
      },
      responses: sharedResponses(writer),
      schemas: writer.components,
    },
  }
}

function operationObject(operation: Operation, writer: SchemaWriter): Json {
  const { summary, tag, reply, notFound, deprecated } = operation
  return {
    operationId: operationId(operation),
    summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    tags: [tag],
    ...(deprecated === true ? { deprecated } : {}),
    parameters: parameters(operation.query, writer),
    responses: {
      200: {
        description: 'What was asked for.',
        headers: rateHeaders,
        content: { 'application/json': { schema: writer.write(reply) } },
      },
      ...(notFound === undefined ? {} : { 404: errorResponse(notFound, writer) }),
      ...sharedReferences,
    },
  }
}

/** `GET user/by_username` is `getUserByUsername`. */
function operationId({ method, path }: Operation): string {
  const words = path.split(/[^A-Za-z0-9]+/)
  const capitalized = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${method.toLowerCase()}${capitalized.join('')}`
}

function parameters(query: TObject, writer: SchemaWriter): Json[] {
  return Object.entries<TSchema>(query.properties).map(([name, property]) => {
    const { description: text, deprecated, ...schema } = property
    return {
      name,
      in: 'query',
      required: isRequired(property),
      ...(typeof text === 'string' ? { description: text } : {}),
      ...(deprecated === true ? { deprecated } : {}),
      ...(property.type === 'array' ? { style: 'form', explode: false } : {}),
      schema: writer.write(schema as TSchema),
    }
  })
}

const rateHeaders: Json = {
  'RateLimit-Limit': {
    description: 'Requests per minute, where the key has a limit.',
    schema: { type: 'integer' },
  },
  'RateLimit-Remaining': { description: 'Requests that may follow at once.', schema: { type: 'integer' } },
  'RateLimit-Reset': { description: 'Seconds until all may be used again.', schema: { type: 'integer' } },
}

const retryHeader: Json = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
}

const failures = {
  400: { name: 'BadRequest', text: 'A parameter is wrong: `property` names it.' },
  401: { name: 'Unauthorized', text: 'The API key is missing, wrong or revoked.' },
  429: { name: 'TooManyRequests', text: 'The key is over its limit.', headers: retryHeader },
  500: { name: 'InternalError', text: 'A failure of the server; `message` holds the id that its log has.' },
  503: { name: 'Unavailable', text: 'The database is away.', headers: retryHeader },
}

const sharedReferences: Record<string, Json> = Object.fromEntries(
  Object.entries(failures).map(([status, { name }]) => [status, { $ref: `#/components/responses/${name}` }]),
)

function sharedResponses(writer: SchemaWriter): Json {
  return Object.fromEntries(
    Object.values(failures).map(({ name, text, ...more }) => [
      name,
      { ...errorResponse(text, writer), ...more },
    ]),
  )
}

function errorResponse(text: string, writer: SchemaWriter): Record<string, Json> {
  return { description: text, content: { 'application/json': { schema: writer.write(ErrorRes) } } }
}
