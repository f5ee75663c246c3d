import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { NeynarAPIClient } from '@neynar/nodejs-sdk'
import { expect, it } from 'vitest'
import { openApiDocument } from '../../src/api/openapi.js'
import { operations } from '../../src/app/operations.js'

const LINE_WIDTH = 110

/** Reads which method of the published client asks which operation, from what its generator wrote. */
function readMethods(): Map<string, string> {
  const sdk = dirname(createRequire(import.meta.url).resolve('@neynar/nodejs-sdk'))
  const directory = join(sdk, 'api/apis')
  const methods = new Map<string, string>()
  for (const file of readdirSync(directory).filter((name) => name.endsWith('-api.js'))) {
    const text = readFileSync(join(directory, file), 'utf8')
    const calls = text.matchAll(
      /^ {8}(\w+): async \([\s\S]*?localVarPath = `([^`]+)`[\s\S]*?method: '([A-Z]+)'/gm,
    )
    for (const [, name, path, method] of calls) {
      if (name! in NeynarAPIClient.prototype)
        methods.set(`${method} ${path!.replace('/v2/farcaster/', '/v2/social/')}`, name!)
    }
  }
  return methods
}

/** As the formatter writes it. */
function rowOf(operation: string, method: string): string {
  const row = `  '${operation}': '${method}',`
  return row.length > LINE_WIDTH ? `  '${operation}':\n    '${method}',` : row
}

it('the console names the methods of the published client; `npx vitest run test/house/sdk-methods.test.ts -u`', async () => {
  const { paths } = openApiDocument({ operations, adminOperations: [], unserved: [] }) as {
    paths: Record<string, Record<string, unknown>>
  }
  const found = readMethods()
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) => {
      const name = `${method.toUpperCase()} ${path}`
      return found.has(name) ? [rowOf(name, found.get(name)!)] : []
    }),
  )
  const text = `// Written by \`npx vitest run test/house/sdk-methods.test.ts -u\` from the published client. Do not edit.

/** Methods of NeynarAPIClient in @neynar/nodejs-sdk, by the operation that they ask. */
export const sdkMethods: Readonly<Record<string, string>> = {
${rows.sort().join('\n')}
}
`
  await expect(text).toMatchFileSnapshot('../../packages/console/src/pages/query/sdk-methods.ts')
})
