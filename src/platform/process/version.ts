import { readFileSync } from 'node:fs'

/** `package.json` is three folders above both `src/platform/process` and `dist/platform/process`. */
const manifest: { readonly version: string; readonly engines: { readonly node: string } } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)

/** The version of this server. */
export const version = manifest.version

/** The versions of Node.js that it runs on. */
export const requiredNode = manifest.engines.node
