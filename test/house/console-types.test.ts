import { readFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/api/openapi.js'
import { adminOperations } from '../../src/app/admin-operations.js'

it('the console has the types of the admin API as it is: `npm run console:types`', async () => {
  const document = openApiDocument({ operations: [], adminOperations, unserved: [] })
  const written = readFileSync('packages/console/src/api-types.ts', 'utf8')
  expect(written).toContain(astToString(await openapiTS(document as never)))
})
