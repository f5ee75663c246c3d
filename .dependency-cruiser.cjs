// A room imports only from rooms below it (docs/architecture.md), not from its neighbours in a line.
const floors = [
  ['cli'],
  ['app'],
  ['features'],
  ['api'],
  ['graph', 'demo'],
  ['hub'],
  ['outbox', 'protocol'],
  ['platform'],
]

/** Forbids a room its neighbours and what stands above it in the list. */
function ruleOf(room, floor) {
  const forbidden = floors.flatMap((rooms, other) =>
    other <= floor ? rooms.filter((name) => name !== room) : [],
  )
  return {
    name: `${room}-sees-only-lower-rooms`,
    severity: 'error',
    from: { path: `^src/${room}/`, pathNot: '\\.test\\.ts$' },
    to: { path: [...forbidden.map((name) => `^src/${name}/`), '^src/cli\\.ts$'] },
  }
}

/**
 * Inside graph: project writes; query, load, view and cache read, and each may see what stands before it, a view only its
 * types. Of these, only the cache sees projections, since it follows the same changes. Scheduled jobs (refresh) may see
 * projections and queries.
 */
const graphOrder = [
  { from: 'project', to: 'query|load|view|cache|refresh' },
  { from: 'query', to: 'project|load|view|cache|refresh' },
  { from: 'load', to: 'project|view|cache|refresh' },
  { from: 'view', to: 'project|cache|refresh' },
  { from: 'cache', to: 'refresh' },
  { from: 'refresh', to: 'load|view|cache' },
].map(({ from, to }) => ({
  name: `graph-${from}-sees-its-sources-only`,
  severity: 'error',
  from: { path: `^src/graph/${from}/` },
  to: { path: `^src/graph/(${to})/` },
}))
graphOrder.push(
  {
    name: 'graph-view-is-pure',
    comment: 'A view is a function of records: it takes their types and loads nothing.',
    severity: 'error',
    from: { path: '^src/graph/view/' },
    to: {
      path: ['^src/graph/(query|load)/', '^src/platform/db/'],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'graph-load-is-for-graph',
    comment: 'Features get users, casts and channels from graph/cache, which follows every change.',
    severity: 'error',
    from: { path: '^src/', pathNot: '^src/graph/' },
    to: { path: '^src/graph/load/' },
  },
)

module.exports = {
  forbidden: [
    ...floors.flatMap((rooms, floor) => rooms.map((room) => ruleOf(room, floor))),
    {
      name: 'protocol-is-pure',
      comment: 'A signed message needs no database and no network.',
      severity: 'error',
      from: { path: '^src/protocol/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/platform/', pathNot: '^src/platform/(errors|process/turns|text/json-bounds)\\.ts$' },
    },
    {
      name: 'platform-log-and-text-stand-alone',
      severity: 'error',
      from: { path: '^src/platform/(errors\\.ts$|log/|text/|process/|geo/)', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/platform/(db|outbound|vault|scheduler)/' },
    },
    ...graphOrder,
    {
      name: 'config-is-one-table',
      comment: 'Its parts are put together in config.ts and named nowhere else.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/app/config/' },
      to: { path: '^src/app/config/', pathNot: '^src/app/config/config\\.ts$' },
    },
    {
      name: 'tracing-is-loaded-late',
      comment: 'OpenTelemetry’s SDK costs time and memory: only a server that traces loads it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^src/platform/tracing/otlp-tracing\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'tracing-has-one-adapter',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/platform/tracing/otlp-tracing\\.ts$' },
      to: { path: 'node_modules/@opentelemetry/' },
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
