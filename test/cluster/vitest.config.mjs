import { defineConfig } from 'vitest/config'

const isShared = process.env.CI === 'true'

export default defineConfig({
  test: {
    include: ['test/cluster/*.test.ts'],
    // Each file has a cluster of its own, which takes the whole machine.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 300_000,
    // A lease of 20 s has to end first, and a backlog has to be worked through.
    expect: { poll: { timeout: isShared ? 180_000 : 90_000, interval: 100 } },
  },
})
