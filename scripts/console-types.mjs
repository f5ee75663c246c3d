// Writes the types of the admin API for the console, from the OpenAPI document that the built server has. `npm run
// console:types` after a change of an admin operation; a test compares them.
import { writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import { openApiDocument } from '../dist/api/openapi.js'
import { adminOperations } from '../dist/app/admin-operations.js'

const document = openApiDocument({ operations: [], adminOperations, unserved: [] })
const header = '// Written by `npm run console:types` from the OpenAPI document. Do not edit.\n\n'
writeFileSync('packages/console/src/api-types.ts', header + astToString(await openapiTS(document)))
