import { readdir } from 'node:fs/promises'
import { matchesGlob } from 'node:path'

/** Lists the files of the root's `src` and `test` that a pattern matches and no pattern with `!` excludes. */
export async function glob(root, patterns, accepts = () => true) {
  const wanted = patterns.filter((pattern) => !pattern.startsWith('!'))
  const excluded = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1))
  const names = []
  for (const folder of new Set(wanted.map((pattern) => pattern.split('/')[0]))) {
    const entries = await readdir(`${root}/${folder}`, { recursive: true })
    for (const entry of entries) names.push(`${folder}/${entry}`)
  }
  return names
    .filter((name) => wanted.some((pattern) => matchesGlob(name, pattern)))
    .filter((name) => !excluded.some((pattern) => matchesGlob(name, pattern)) && accepts(name))
    .sort()
}
