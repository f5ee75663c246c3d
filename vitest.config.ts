import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files of `test/` start processes and take the longest: the run must not end with one worker waiting for them. */
class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => (moduleId.includes('/test/') ? 0 : 1)
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // These start a cluster of their own: npm run test:cluster.
    exclude: [...configDefaults.exclude, 'test/cluster/**'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/house/property-setup.ts'],
    // Two cores are shared with PostgreSQL and the servers of tests, for which a file waits for a quarter of its time.
    maxWorkers: 3,
    // Garbage collection of young objects was 12 % of a worker's CPU time with the default of 16 MB, and is 8 % with this.
    execArgv: ['--max-semi-space-size=64'],
    sequence: { sequencer: SlowFilesFirst },
    // Files share loaded modules: loading them for each file took half of the run's CPU time.
    isolate: false,
    // These end what hangs, and nothing else: the slowest test takes a minute on an idle machine, and took five on one that
    // CI shared with others.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 300_000 } },
  },
})
