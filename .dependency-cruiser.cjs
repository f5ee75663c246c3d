// Imports run one way (docs/architecture.md). A module may import from its own folder, from the rows above
// it, and from `errors.ts`. `config.ts` is for those who start things; others may take its type.
const layers = [
  ['lib'],
  ['db', 'geo', 'net', 'protocol', 'secrets'],
  ['hub', 'embeds'],
  ['registry', 'archive', 'social'],
  ['chain', 'upstream', 'demo'],
  ['records'],
  ['views'],
  ['hydrate'],
  [
    'apps',
    'score',
    'signers',
    'sign-in',
    'publish',
    'relations',
    'inbox',
    'channels',
    'webhooks',
    'miniapps',
    'accounts',
    'assets',
  ],
  ['api'],
]

const top = '^src/(main|cli|maintenance|open-[a-z-]+)\\.ts$|^src/commands/'

/** A folder may not see what stands to its right, nor its neighbours. */
function rulesOf(folder, level) {
  const forbidden = layers.flatMap((folders, other) =>
    other >= level ? folders.filter((name) => name !== folder) : [],
  )
  return {
    name: `${folder}-sees-only-what-is-below-it`,
    severity: 'error',
    from: { path: `^src/${folder}/`, pathNot: '\\.test\\.ts$' },
    to: { path: [`^src/(${[...forbidden, 'commands'].join('|')})/`, top] },
  }
}

module.exports = {
  forbidden: [
    ...layers.flatMap((folders, level) => folders.map((folder) => rulesOf(folder, level))),
    {
      name: 'protocol-is-pure',
      comment: 'What a signed message is needs no database and no network.',
      severity: 'error',
      from: { path: '^src/protocol/', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/(db|net)/' },
    },
    {
      name: 'api-knows-no-business',
      comment: 'main hands the operations over.',
      severity: 'error',
      from: { path: '^src/api/(server|health|metrics|error-reply)\\.ts$' },
      to: { path: '^src/(hub|social|hydrate|views)/' },
    },
    {
      name: 'config-is-handed-over',
      comment: 'Only what starts the program reads the configuration; the others may name its type.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['\\.test\\.ts$', '^src/commands/', '^src/(main|cli)\\.ts$'] },
      to: { path: '^src/config\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'config-is-one-table',
      comment: 'Its parts are put together in config.ts and named nowhere else.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/config' },
      to: { path: '^src/config/' },
    },
    {
      name: 'errors-stand-alone',
      severity: 'error',
      from: { path: '^src/(errors\\.ts$|config)', pathNot: '\\.test\\.ts$' },
      to: { path: '^src/', pathNot: '^src/config/' },
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
