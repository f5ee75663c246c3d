import { createSchemaWriter } from '../../../src/api/openapi-schema.js'
import { isRequired } from '../../../src/api/parse-query.js'
import { versionOneOperations } from '../../../src/features/version-one/operations.js'
import type { OpenApiDocument } from './documented-operations.js'

/** Describes the operations below `/v1/farcaster`, which the server's own document leaves out. */
export function versionOneDocument(): OpenApiDocument {
  const writer = createSchemaWriter()
  const paths = versionOneOperations.map(({ path, query, reply }) => [
    `/v1/farcaster/${path}`,
    {
      get: {
        parameters: Object.entries(query?.properties ?? {}).map(([name, property]) => ({
          name,
          in: 'query',
          required: isRequired(property),
          schema: writer.write(property),
        })),
        responses: { 200: { content: { 'application/json': { schema: writer.write(reply) } } } },
      },
    },
  ])
  const components = { schemas: writer.components, responses: {} }
  return { paths: Object.fromEntries(paths), components } as unknown as OpenApiDocument
}
