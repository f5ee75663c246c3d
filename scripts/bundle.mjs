// Bundles the command line: `plaza serve` loads some 1,650 modules, and finding, reading and linking so many files
// is most of the time of its start. Only our own modules and the packages with many small modules are put
// together; all others are loaded as installed. What the compiler wrote stays beside it for worker threads.
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { build } from 'esbuild'

const BUNDLED = ['@farcaster', 'viem', 'ox', 'abitype', '@noble', '@scure', '@sinclair/typebox', 'jose']

/** Bundled modules are in `dist`, so files that they find beside themselves are looked for where they were. */
const keepPlaces = {
  name: 'keep places',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const place = `./${relative('src', path).split(sep).join('/').replace(/\.ts$/, '.js')}`
      const contents = source.replaceAll('import.meta.url', `new URL('${place}', import.meta.url)`)
      return { contents, loader: 'ts' }
    })
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined
      const isBundled = BUNDLED.some((name) => path === name || path.startsWith(`${name}/`))
      return isBundled ? undefined : { path, external: true }
    })
  },
}

for (const name of readdirSync('dist')) if (name.startsWith('bundle-')) rmSync(`dist/${name}`)
await build({
  entryPoints: ['src/cli.ts'],
  outdir: 'dist',
  chunkNames: 'bundle-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Names in stack traces and of errors are those of the source.
  keepNames: true,
  logLevel: 'warning',
  plugins: [keepPlaces],
})
