// Mutation testing: `npm run mutate`, and for a part of it `npm run mutate -- -m 'src/graph/view/*.ts'`. How to read what it
// says, and what is known of it: docs/testing.md.

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  mutate: [
    'src/protocol/**/*.ts',
    'src/hub/merge/**/*.ts',
    'src/graph/project/*.ts',
    'src/api/cursor.ts',
    'src/api/operations/**/*-page.ts',
    'src/graph/view/*.ts',
    '!src/**/*.test.ts',
    '!src/**/testing/**',
  ],
  // Only tests that reach a mutated file; of them, for each mutant, those that ran its line.
  vitest: { configFile: 'stryker.vitest.config.ts', related: true },
  // Tables and schemas are made when a file is loaded: each of their mutants would take a run of everything.
  ignoreStatic: true,
  // Each runner has a PostgreSQL of its own.
  concurrency: 1,
  // A query that finds too much or waits for a lock is slow, and not endless.
  timeoutMS: 20_000,
  reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportScoreTable: true },
  thresholds: { high: 95, low: 85, break: 85 },
  tempDirName: '.stryker-tmp',
  ignorePatterns: ['/bench', '/data', '/dist', '/reports'],
}
