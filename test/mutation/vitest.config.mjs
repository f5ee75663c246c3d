import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { defineConfig, mergeConfig } from 'vitest/config'
import shared from '../../vitest.config.ts'

const root = new URL('../..', import.meta.url).pathname
const { contents } = JSON.parse(readFileSync(`${process.env.MUTATION_DIR}/target.json`, 'utf8'))

const instrumented = {
  name: 'instrumented',
  enforce: 'pre',
  transform(_code, id) {
    const code = contents[relative(root, id)]
    return code === undefined ? undefined : { code, map: null }
  },
}

export default mergeConfig(
  { ...shared, test: { ...shared.test, include: [] } },
  defineConfig({
    plugins: [instrumented],
    test: {
      include: ['test/mutation/driver.test.mjs'],
      setupFiles: ['test/mutation/setup.mjs'],
      runner: 'test/mutation/mutant-runner.mjs',
      pool: 'forks',
      maxWorkers: 1,
      // The driver ends when its worker has been through all mutants.
      testTimeout: 0,
      // A mutant that is waited for in vain is killed by the first poll that ends.
      expect: { poll: { timeout: 8_000 } },
    },
  }),
)
