import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorResCode } from '../../src/api/error-res.js'
import { describeError, errorCodes } from '../../src/platform/errors.js'

/** Rows of the table of `docs/errors.md`. */
const documented = readFileSync('docs/errors.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [code = '', mainCode = '', status = '', meaning = '', remedy = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    return { code: bare(code), mainCode: bare(mainCode), status: Number(status), meaning, remedy }
  })

it('every code is documented once, under its names in both APIs and with its status', () => {
  const told = documented.map(({ code, mainCode, status }) => ({ code, mainCode, status }))
  const known = errorCodes.map((code) => ({
    code,
    mainCode: errorResCode(code),
    status: describeError(code).status,
  }))
  expect(byCode(told)).toEqual(byCode(known))
})

it('the documentation of each says what it means and what to do, in sentences', () => {
  for (const { code, meaning, remedy } of documented) {
    expect(meaning, code).toMatch(/^[A-Z].*\.$/)
    expect(remedy, code).toMatch(/^[A-Z].*\.$/)
  }
})

it('programs can tell errors of the main API apart', () => {
  const names = errorCodes.map(errorResCode)
  expect(names).toEqual([...new Set(names)])
})

function bare(cell: string): string {
  return cell.replaceAll('`', '')
}

function byCode<Row extends { readonly code: string }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => (a.code < b.code ? -1 : 1))
}
