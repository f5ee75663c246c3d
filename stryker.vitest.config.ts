import { defineConfig } from 'vitest/config'
import usual from './vitest.config.js'

/**
 * For mutation testing: without the tests that start processes, which run the built server and no mutant.
 * `MUTATION_TESTS` has other patterns, with commas in between, for a run of a few files.
 */
export default defineConfig({
  test: {
    ...usual.test,
    include: (process.env.MUTATION_TESTS ?? 'src/**/*.test.ts').split(','),
    // It judges schemas with a linter of another process.
    exclude: ['src/api/openapi.test.ts'],
    // A failed property would be made smaller and smaller: that it fails is enough.
    setupFiles: ['test/house/property-setup.ts', 'test/house/mutation-setup.ts'],
    maxWorkers: 1,
  },
})
