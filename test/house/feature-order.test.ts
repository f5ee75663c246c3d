import { dirname, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { isTest, readSourceFiles } from './source-file.js'

/** The features that each feature imports, types included. Tests and the context that all operations share are left out. */
function importsOfFeatures(): Map<string, Set<string>> {
  const root = resolve('src/features')
  const imports = new Map<string, Set<string>>()
  for (const file of readSourceFiles(['src/features'])) {
    const { path, text } = file
    const [feature = '', ...inside] = relative(root, resolve(path)).split('/')
    if (inside.length === 0 || isTest(file)) continue
    const found = imports.get(feature) ?? new Set()
    imports.set(feature, found)
    for (const [, specifier = ''] of text.matchAll(/from '(\.[^']+)'/g)) {
      const [other = '', ...rest] = relative(root, resolve(dirname(path), specifier)).split('/')
      if (other !== '..' && other !== feature && rest.length > 0) found.add(other)
    }
  }
  return imports
}

it('features import each other in one direction: their order has no circle', () => {
  const imports = importsOfFeatures()
  expect(imports.size).toBeGreaterThan(20)
  // Takes away what imports nothing that is left. What cannot be taken away is part of a circle, or above one.
  for (let before = -1; before !== imports.size; ) {
    before = imports.size
    for (const [feature, others] of imports) {
      if (![...others].some((other) => imports.has(other))) imports.delete(feature)
    }
  }
  const left = [...imports].map(
    ([feature, others]) => `${feature} -> ${[...others].filter((other) => imports.has(other)).join(', ')}`,
  )
  expect(left).toEqual([])
})
