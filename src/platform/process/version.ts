import { readFileSync } from 'node:fs'

/** `package.json` lies two folders up both from `src/platform/process` and from `dist/platform/process`. */
const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
)

/** Of this server. */
export const version = manifest.version
