// Imports run one way (docs/architecture.md). A room may import from itself and from the rooms above it in this list.
const floors = [
  ['platform'],
  ['protocol'],
  ['hub'],
  ['graph', 'demo'],
  ['api'],
  ['features'],
  ['app'],
  ['cli'],
]

/** A room may not see what stands below it in the list, nor its neighbours. */
function ruleOf(room, floor) {
  const forbidden = floors.flatMap((rooms, other) =>
    other >= floor ? rooms.filter((name) => name !== room) : [],
  )
  return {
    name: `${room}-sees-only-lower-rooms`,
    severity: 'error',
    from: { path: `^src/${room}/`, pathNot: '\\.test\\.ts$' },
    to: { path: [...forbidden.map((name) => `^src/${name}/`), '^src/cli\\.ts$'] },
  }
}

module.exports = {
  forbidden: [
    ...floors.flatMap((rooms, floor) => rooms.map((room) => ruleOf(room, floor))),
    {
      name: 'protocol-is-pure',
      comment: 'A signed message needs no database and no network.',
      severity: 'error',
      from: { path: '^src/protocol/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/platform/', pathNot: '^src/platform/errors\\.ts$' },
    },
    {
      name: 'platform-log-and-text-stand-alone',
      severity: 'error',
      from: { path: '^src/platform/(errors\\.ts$|log/|text/|process/|geo/)', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/platform/(db|outbound|vault|scheduler)/' },
    },
    {
      name: 'config-is-one-table',
      comment: 'Its parts are put together in config.ts and named nowhere else.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/app/config/' },
      to: { path: '^src/app/config/', pathNot: '^src/app/config/config\\.ts$' },
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-test-code-in-the-server',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.test\\.ts$', '/testing/'] },
      to: { path: ['^test/', '/testing/', '\\.test\\.ts$'] },
    },
    {
      name: 'resolvable',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['\\.test\\.ts$', '/testing/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
