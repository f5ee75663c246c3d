import { defineConfig } from 'vitest/config'
import usual from './vitest.config.js'

/**
 * Configuration for mutation tests, without tests that start processes: these run the built server, not a mutant.
 * `MUTATION_TESTS` selects other tests by comma-separated patterns.
 */
export default defineConfig({
  test: {
    ...usual.test,
    include: (process.env.MUTATION_TESTS ?? 'src/**/*.test.ts').split(','),
    // It runs a linter in another process.
    exclude: ['src/api/openapi.test.ts'],
    // Do not shrink failed properties: the failure is enough.
    setupFiles: ['test/house/property-setup.ts', 'test/house/mutation-setup.ts'],
    maxWorkers: 1,
  },
})
