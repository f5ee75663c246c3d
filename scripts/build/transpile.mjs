import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

/**
 * Writes each module of the server as JavaScript, without a check of its types: `npm run check` does that. Tests,
 * benches and scripts load these; commands and their threads load the bundle, which replaces some.
 */
export async function transpile() {
  const modules = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.ts$/.test(path) && !/\.test\.ts$|(^|[\\/])testing[\\/]/.test(path),
  )
  await build({
    entryPoints: modules.map((path) => join('src', path)),
    outbase: 'src',
    outdir: 'dist',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'warning',
  })
  removeOthers(new Set(modules.map((path) => path.replace(/\.ts$/, '.js'))))
}

/** Removes modules whose source is gone. */
function removeOthers(written) {
  for (const path of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
    const isModule =
      /\.(js|js\.map|d\.ts)$/.test(path) && !/^(console[\\/]|bundle-)|[\\/]assets[\\/]/.test(path)
    if (isModule && !written.has(path)) rmSync(join('dist', path))
  }
}
