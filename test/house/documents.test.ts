import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const documents = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  'bench/README.md',
  'deploy/cluster/README.md',
  ...readdirSync('docs').map((name) => join('docs', name)),
].map((path) => ({ path, text: readFileSync(path, 'utf8') }))

it('every link of a document leads to a file', () => {
  const broken = documents.flatMap(({ path, text }) =>
    [...text.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^\w+:/.test(target) && !existsSync(join(dirname(path), target)))
      .map((target) => `${path}: ${target}`),
  )
  expect(broken).toEqual([])
})

it('every path in a code span exists', () => {
  const missing = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/`((?:src|test|docs|bench|scripts|deploy)\/[\w./-]*(?:\/|\.(?:ts|mjs|md|sql|json)))`/g)]
      .map(([, file = '']) => file)
      .filter((file) => !existsSync(file))
      .map((file) => `${path}: ${file}`),
  )
  expect(missing.filter((each) => !each.startsWith('CHANGELOG.md'))).toEqual([])
})
