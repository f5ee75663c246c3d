import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'

/** A file of the web application. */
export interface ConsoleFile {
  readonly type: string
  readonly bytes: Buffer
}

/** The web application as it was built, in memory: it is a few hundred kilobytes. */
export interface ConsoleFiles {
  /** With `NONCE` in place of the nonce of its styles. */
  readonly page: string
  /** By their name below `assets/`, which has a hash of the content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>
}

/** Placeholder of the nonce in the page. */
export const NONCE = '__NONCE__'

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * Reads what `npm run build` made of `packages/console`.
 *
 * @param directory As a URL with a slash at its end. Null is returned when there is nothing, as in a checkout that runs its tests.
 */
export function readConsoleFiles(directory: URL): ConsoleFiles | null {
  const page = new URL('index.html', directory)
  if (!existsSync(page)) return null
  const folder = new URL('assets/', directory)
  const assets = readdirSync(folder).map((name): [string, ConsoleFile] => {
    const type = types[extname(name)] ?? 'application/octet-stream'
    return [name, { type, bytes: readFileSync(new URL(name, folder)) }]
  })
  return { page: readFileSync(page, 'utf8'), assets: new Map(assets) }
}
