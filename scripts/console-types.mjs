// Writes the types of the operations that the console uses, from the OpenAPI document that the built server has. `npm run
// console:types` after a change of an operation, or the use of another; a test compares them.
import { writeFileSync } from 'node:fs'
import openapiTS, { astToString } from 'openapi-typescript'
import { openApiDocument } from '../dist/api/openapi.js'
import { adminOperations } from '../dist/app/admin-operations.js'
import { operations } from '../dist/app/operations.js'
import { consoleDocument } from './console-document.mjs'

const document = consoleDocument(openApiDocument({ operations, adminOperations, unserved: [] }))
const header = '// Written by `npm run console:types` from the OpenAPI document. Do not edit.\n\n'
writeFileSync('packages/console/src/api-types.ts', header + astToString(await openapiTS(document)))
