import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/house/property-setup.ts'],
    // Two cores are shared with PostgreSQL; more files at once only make each of them slower.
    maxWorkers: 2,
    // Files share loaded modules: loading them anew for each took half of the run's CPU.
    isolate: false,
    // A machine that is busy with other things is no reason to fail: the longest test takes 10 s by itself.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
  },
})
