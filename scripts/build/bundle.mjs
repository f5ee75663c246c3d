import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import { build } from 'esbuild'

const BUNDLED = [
  'viem',
  'ox',
  'abitype',
  '@noble',
  '@scure',
  '@sinclair/typebox',
  'jose',
  'commander',
  'undici',
  'prom-client',
  '@opentelemetry/api',
  'tdigest',
  'bintrees',
  'lru-cache',
  'protobufjs',
  '@protobufjs',
  'long',
  '#postgres',
  'htmlparser2',
  'entities',
  'domhandler',
  'domutils',
  'domelementtype',
  'dom-serializer',
  're2js',
  'bs58',
  'base-x',
  'ipaddr.js',
  'image-size',
  '@scalar',
  'github-slugger',
  'zod',
  'yaml',
  'leven',
  'nanoid',
  'type-fest',
  'ajv',
  'ajv-draft-04',
  'ajv-formats',
  'fast-deep-equal',
  'fast-uri',
  'json-schema-traverse',
  'require-from-string',
  'fastify-plugin',
]

/** Bundled modules are in `dist`, so files that they find beside themselves are looked for where they were. */
const keepPaths = {
  name: 'keep paths',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const modulePath = `./${relative('src', path).split(sep).join('/').replace(/\.ts$/, '.js')}`
      const contents = source.replaceAll('import.meta.url', `new URL('${modulePath}', import.meta.url)`)
      return { contents, loader: 'ts' }
    })
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      const isBundled = BUNDLED.some((name) => path === name || path.startsWith(`${name}/`))
      return isBundled ? undefined : { path, external: true }
    })
  },
}

const requireBanner =
  "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);"

/**
 * Bundles the command line: `plaza serve` loads some 1,650 modules, and finding, reading and linking so many files
 * is most of the time of its start. Our own modules and most packages are put together: a command takes 0.9 s of CPU until it
 * does its work, 1.05 s with only the packages of many small modules, on a machine where `node -e 0` takes 0.05 s. Packages that
 * read their own files, start threads, or are loaded late are loaded as installed; of the others `viem` is not even installed in
 * production: 90 MB with what it needs, of which the bundle has 0.5.
 */
export async function bundle() {
  const { metafile } = await build({
    metafile: true,
    // Threads have entries of their own, under the names that the server starts them by.
    entryPoints: ['src/cli.ts', 'src/protocol/verify-worker.ts', 'src/features/score/score-worker.ts'],
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'bundle-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Packages in the older format ask for modules of Node with `require`.
    banner: { js: requireBanner },
    logLevel: 'warning',
    plugins: [keepPaths],
  })
  const written = new Set(Object.keys(metafile.outputs).map((path) => basename(path)))
  for (const name of readdirSync('dist')) {
    if (name.startsWith('bundle-') && !written.has(name)) rmSync(`dist/${name}`)
  }
}
