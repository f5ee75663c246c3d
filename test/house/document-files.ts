import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const markdownIn = (folder: string, options?: { recursive: true }) =>
  readdirSync(folder, { ...options, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => join(folder, name))

/** Paths of the documents that people read: those at the root, in `docs`, and beside code that they explain. */
export const documentFiles: readonly string[] = [
  ...markdownIn('.'),
  ...['bench', 'deploy', 'docs', 'examples']
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => markdownIn(folder, { recursive: true })),
]
