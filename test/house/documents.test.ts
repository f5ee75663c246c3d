import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { documentFiles } from './document-files.js'

const documents = documentFiles.map((path) => ({ path, text: readFileSync(path, 'utf8') }))

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

it('the navigation of the site has every document', () => {
  const navigation = readFileSync('site/.vitepress/navigation.mjs', 'utf8')
  const missing = documents
    .map(({ path }) => /^docs\/([\w-]+)\.md$/.exec(path)?.[1])
    .filter((name) => name !== undefined && name !== 'README')
    .filter((name) => !new RegExp(`\\b${name}'?: '`).test(navigation))
  expect(missing).toEqual([])
})
