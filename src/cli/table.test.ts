import { expect, it } from 'vitest'
import { printList, tableOf } from './table.js'

const rows = [
  { name: 'reader', keys: 2, host: null },
  { name: 'a\u001b[2Jb\nc', keys: 12, host: 'x.example' },
]
const columns = {
  NAME: (row: (typeof rows)[number]) => row.name,
  KEYS: (row: (typeof rows)[number]) => row.keys,
  HOST: (row: (typeof rows)[number]) => row.host,
}

it('aligns columns under headers, and lets no name move the cursor', () => {
  expect(tableOf(rows, columns)).toEqual([
    'NAME      KEYS  HOST',
    'reader       2  -',
    'a [2Jb c    12  x.example',
  ])
})

it('prints headers alone when there is nothing to list', () => {
  expect(tableOf([], columns)).toEqual(['NAME  KEYS  HOST'])
})

it('prints one JSON object per line on request', () => {
  const lines: string[] = []
  printList({ print: (line) => lines.push(line) }, rows, { json: true, toJson: (row) => row, columns })
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows)
})
