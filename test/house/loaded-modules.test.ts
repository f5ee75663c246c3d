import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** Returns a data URL module with this text. */
const moduleOf = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`

/**
 * Reports each loaded module immediately: output of hooks to the console is lost if the program ends first.
 */
const watchImports = moduleOf(`
  import { register } from 'node:module'
  register(${JSON.stringify(
    moduleOf(`import { writeSync } from 'node:fs'
    export async function resolve(name, context, next) {
      const found = await next(name, context)
      writeSync(1, found.url + '\\n')
      return found
    }`),
  )})`)

const loadProtocol = `
  import { createRequire } from 'node:module'
  await import('@farcaster/core')
  for (const path of Object.keys(createRequire(process.cwd() + '/').cache)) console.log(path)`

it('the protocol library loads without test words and without all chains (patches/README.md)', async () => {
  const args = ['--import', watchImports, '--input-type=module', '--eval', loadProtocol]
  const { stdout } = await run(process.execPath, args)
  expect(stdout).toContain('@farcaster/core')
  expect(stdout).not.toContain('@faker-js/faker')
  const chains = [...stdout.matchAll(/chains\/definitions\/(\w+)\.js/g)].map(([, name]) => name)
  expect(new Set(chains)).toEqual(new Set(['mainnet', 'goerli', 'optimism', 'optimismGoerli']))
})
