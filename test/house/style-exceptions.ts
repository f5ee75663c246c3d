/**
 * What may break a rule of `tidy.test.ts`, and why. An exception that nothing needs any more fails the test, so this
 * list only tells what is true.
 */
const exceptions = {
  /** Path, or path and name, of what is longer than its rule allows. */
  long: {
    'src/app/testing/test-api.ts createTestApi':
      'every part of the API, and what stands in where a test has none',
    'src/features/webhooks/delivery/queue.ts claimDue': 'one statement of SQL',
    "test/webhooks/deliveries.test.ts 'webhook deliveries: all kinds arrive in order, signed, in the shapes of the hosted service'":
      'one story, from the first event to the last',
    'src/graph/query/users-affinity.ts readBestFriends': 'one statement of SQL',
    'src/features/casts/routes/testing/cast-network.ts createCastNetwork':
      'one scene, told from its start to its end',
  },
  /** `path call`. */
  calls: {
    'src/cli.ts process.env': 'the one place that reads the environment; it is handed on',
    'src/platform/db/cluster.ts Date.now': 'deadlines of waiting for another process',
    'src/platform/db/embedded.ts Date.now': 'deadlines of waiting for another process',
    'src/platform/db/open-database.ts Date.now': 'deadlines of waiting for another process',
    'src/demo/run.ts Date.now': 'how long a batch took, to choose the size of the next',
    'src/hub/methods/http/event-stream.ts setInterval()':
      'one for each reader who is connected, cleared when it goes',
    'src/hub/log/tail.ts setInterval()': 'does not keep the process, and is cleared by its owner',
    'src/features/webhooks/verify-webhook.ts Date.now':
      'runs in the programs of others, who need not tell the time',
    'src/features/score/score-worker.ts Date.now': 'a thread starts here, as the process does in main.ts',
  },
  /** `path name`. */
  undocumented: {},
} as const satisfies Record<string, Readonly<Record<string, string>>>

type Kind = keyof typeof exceptions

const used = new Set<string>()

/** Whether this may break the rule. Remembers that it was asked for. */
export function isExcepted(kind: Kind, subject: string): boolean {
  if (!Object.hasOwn(exceptions[kind], subject)) return false
  used.add(`${kind}: ${subject}`)
  return true
}

/** Exceptions that nothing has asked for. */
export function unusedExceptions(): string[] {
  return Object.entries(exceptions)
    .flatMap(([kind, list]) => Object.keys(list).map((subject) => `${kind}: ${subject}`))
    .filter((name) => !used.has(name))
}
