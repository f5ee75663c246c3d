/**
 * Targets of the source, each with the tests that decide about it. Tests that start the built server are not among them: the
 * server is not instrumented.
 *
 * @typedef {object} Target
 * @property {string[]} mutate Patterns of the source, from the root of the repository; `!` excludes.
 * @property {string[]} tests Patterns of test files; `!` excludes.
 * @property {Record<string, string>} [env] Fewer cases of property tests.
 */

/** @type {Record<string, Target>} */
export const targets = {
  window: {
    mutate: [
      'src/graph/cache/recent/*.ts',
      'src/graph/cache/{viewer-sets,viewer-cache,user-sets,sorted-tuples,block-sequence,local-commits}.ts',
    ],
    tests: ['src/graph/cache/*.test.ts', 'src/graph/cache/recent/*.test.ts'],
  },
  caches: {
    mutate: ['src/graph/cache/{tagged-cache,membership-cache,local-commits}.ts'],
    tests: ['src/graph/cache/{tagged-cache,membership-cache,local-commits}*.test.ts'],
  },
  outbox: {
    mutate: ['src/outbox/*.ts'],
    tests: ['src/outbox/*.test.ts'],
  },
  outbound: {
    mutate: ['src/platform/outbound/*.ts'],
    tests: ['src/platform/outbound/*.test.ts'],
  },
  turns: {
    mutate: ['src/platform/process/{read-turns,turns}.ts'],
    tests: ['src/platform/process/{read-turns,turns}.test.ts'],
  },
  replay: {
    mutate: ['src/graph/project/{replay,replay-schema,recount,counters}.ts'],
    tests: ['src/graph/project/{replay,replay-steps,recount,recount-locks}.test.ts'],
  },
  app: {
    mutate: ['src/app/**/*.ts', 'src/platform/process/roles.ts', '!src/app/config/*-variables.ts'],
    tests: ['src/app/**/*.test.ts', 'src/features/system/*.test.ts'],
  },
  channels: {
    mutate: ['src/features/channels/*.ts'],
    tests: ['src/features/channels/**/*.test.ts', 'test/sync/importers.test.ts'],
  },
  names: {
    mutate: ['src/hub/chain-claims/*.ts'],
    tests: ['src/hub/chain-claims/*.test.ts'],
  },
  bodies: {
    mutate: ['src/api/{parse-body,parse-query,json-bodies,declared-members,invalid-field}.ts'],
    tests: ['src/api/{parse-body,parse-query,register-api,unparsed-requests,http-encoding}.test.ts'],
  },
  console: {
    mutate: ['src/features/console/**/*.ts', '!src/features/console/schema/**'],
    tests: ['src/features/console/**/*.test.ts'],
  },
  views: {
    mutate: ['src/graph/view/*.ts', 'src/api/cursor.ts'],
    tests: ['src/graph/view/*.test.ts', 'src/api/cursor.test.ts'],
  },
  protocol: {
    mutate: ['src/protocol/**/*.ts', '!src/protocol/proto/generated/**'],
    tests: ['src/protocol/**/*.test.ts', '!src/protocol/**/*differential*'],
  },
  merge: {
    mutate: ['src/hub/merge/**/*.ts'],
    tests: ['src/hub/merge/**/*.test.ts'],
  },
  projections: {
    mutate: [
      'src/graph/project/*.ts',
      'src/graph/{cast-row,embed-kind}.ts',
      'src/graph/refresh/waiting-threads.ts',
      '!src/graph/project/{replay,replay-schema,recount,counters}.ts',
    ],
    tests: [
      'src/graph/project/*.test.ts',
      'src/graph/embed-kind.test.ts',
      'src/graph/refresh/*.test.ts',
      '!src/graph/project/{recount,replay}*.test.ts',
    ],
    env: { PROJECTION_RUNS: '12' },
  },
}
