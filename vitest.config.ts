import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Two cores are shared with PostgreSQL; more files at once only make each of them slower.
    maxWorkers: 2,
    // Files share loaded modules: loading them anew for each took half of the run's CPU.
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A machine that is busy with other things is no reason to fail.
    expect: { poll: { timeout: 30_000 } },
  },
})
