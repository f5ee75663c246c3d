/**
 * Exceptions to the rules of `code-style.test.ts`, each with a reason. An unused exception fails the test.
 */
const exceptions = {
  /** Path, or path and name, of a file or function over the limit. */
  long: {
    'src/app/testing/test-api.ts createTestApi': 'all parts of the API, and their replacements in tests',
    'src/features/webhooks/delivery/delivery-store.ts claimDue': 'one statement of SQL',
    "test/webhooks/deliveries.test.ts 'webhook deliveries: all kinds arrive in order, signed, in the shapes of the hosted service'":
      'one scenario from the first event to the last',
    'src/graph/query/users-affinity.ts readBestFriends': 'one statement of SQL',
    'src/features/casts/routes/testing/cast-network.ts createCastNetwork': 'one scene from start to end',
  },
  /** `path call`. */
  calls: {
    'src/cli.ts process.env': 'the only reader of the environment, which passes it on',
    'src/hub/sync/client/upstream-client.ts Date.now':
      'deadlines, which the library compares with this clock',
    'src/demo/run.ts Date.now': 'interval between updates of the record',
    'src/hub/methods/http/event-stream.ts setInterval()':
      'one per connected reader, cleared when it disconnects',
    'src/platform/streams/stalled-readers.ts setInterval()':
      'does not keep the process alive, and its owner clears it',
    'src/features/console/live/register-live.ts setInterval()':
      'one per connected reader, cleared when it disconnects',
    'src/hub/methods/grpc/silent-connections.ts setInterval()':
      'does not keep the process alive, and its owner clears it',
    'src/hub/log/tail.ts setInterval()': 'does not keep the process alive, and its owner clears it',
    'src/features/score/score-worker.ts Date.now': 'entry point of a thread',
  },
  /** `path name`. */
  undocumented: {},
  /** `path docstring`. */
  docstrings: {},
  /** `path word`: a banned word in another sense. */
  words: {
    'src/platform/text/stop-words.ts wanted': 'a word of English',
  },
} as const satisfies Record<string, Readonly<Record<string, string>>>

type Kind = keyof typeof exceptions

const used = new Set<string>()

/** Whether this is an exception of the rule. Records that it is used. */
export function isExcepted(kind: Kind, subject: string): boolean {
  if (!Object.hasOwn(exceptions[kind], subject)) return false
  used.add(`${kind}: ${subject}`)
  return true
}

/** Returns unused exceptions. */
export function unusedExceptions(): string[] {
  return Object.entries(exceptions)
    .flatMap(([kind, list]) => Object.keys(list).map((subject) => `${kind}: ${subject}`))
    .filter((name) => !used.has(name))
}
