import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { differences } from './runner/differences.js'

test('every deliberate difference has its row in the documentation', () => {
  const text = readFileSync('docs/protocol.md', 'utf8')
  const missing = differences.filter(({ section, row }) => {
    const start = text.indexOf(`### ${section} `)
    const next = text.indexOf('\n### ', start + 1)
    return start < 0 || !text.slice(start, next < 0 ? undefined : next).includes(`| ${row} |`)
  })
  expect(missing.map(({ section, row }) => `§${section} ${row}`)).toEqual([])
})
