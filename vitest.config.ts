import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/house/property-setup.ts'],
    // Two cores are shared with PostgreSQL; more concurrent files only slow each other down.
    maxWorkers: 2,
    // Files share loaded modules: loading them for each file took half of the run's CPU time.
    isolate: false,
    // Most tests take under a second on an idle machine. Tests that start processes set a longer timeout themselves.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
