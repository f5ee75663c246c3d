import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const sources = 'packages/console/src'

/**
 * The part of the OpenAPI document that the console uses: the paths that its sources name in quotes, and the schemas that
 * those refer to.
 */
export function consoleDocument(document) {
  const named = pathsIn(sources)
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => named.has(path)))
  const components = {}
  const open = [paths]
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      components[kind] ??= {}
      if (components[kind][name] !== undefined) continue
      components[kind][name] = document.components[kind][name]
      open.push(components[kind][name])
    }
  }
  return { ...document, paths, components: inOrder(components, document.components) }
}

function pathsIn(directory) {
  const found = new Set()
  for (const name of readdirSync(directory, { recursive: true })) {
    if (!/\.tsx?$/.test(name) || name === 'api-types.ts') continue
    const text = readFileSync(join(directory, name), 'utf8')
    for (const [, path] of text.matchAll(/'(\/(?:admin|v\d)\/[^']+)'/g)) found.add(path)
  }
  return found
}

/** In the order of the whole document, so that a new use changes as few lines as can be. */
function inOrder(used, all) {
  return Object.fromEntries(
    Object.keys(used).map((kind) => [
      kind,
      Object.fromEntries(Object.entries(all[kind]).filter(([name]) => used[kind][name] !== undefined)),
    ]),
  )
}
