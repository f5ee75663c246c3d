import { readFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, it } from 'vitest'
import { consoleDocument } from '../../scripts/console-document.mjs'
import { openApiDocument } from '../../src/api/openapi.js'
import { adminOperations } from '../../src/app/admin-operations.js'
import { operations } from '../../src/app/operations.js'

it('the console has the types of the operations that it uses as they are: `npm run console:types`', async () => {
  const document = consoleDocument(openApiDocument({ operations, adminOperations, unserved: [] }))
  const written = readFileSync('packages/console/src/api-types.ts', 'utf8')
  expect(written).toContain(astToString(await openapiTS(document as never)))
})
