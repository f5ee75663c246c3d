import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { errorResponseCode } from '../../src/api/error-response.js'
import { describeError, errorCodes } from '../../src/platform/errors.js'
import { readSourceFiles } from './source-file.js'

/** Rows of the table of `docs/errors.md`. */
const documented = readFileSync('docs/errors.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [code = '', mainCode = '', status = '', meaningText = '', remedy = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    return {
      code: withoutBackticks(code),
      mainCode: withoutBackticks(mainCode),
      status: Number(status),
      meaning: meaningText,
      remedy,
    }
  })

it('every code is documented once, with its names and status', () => {
  const documentedErrors = documented.map(({ code, mainCode, status }) => ({ code, mainCode, status }))
  const known = errorCodes.map((code) => ({
    code,
    mainCode: errorResponseCode(code),
    status: describeError(code).status,
  }))
  expect(byCode(documentedErrors)).toEqual(byCode(known))
})

it('every code has a meaning and a remedy in sentences', () => {
  for (const { code, meaning: meaningText, remedy } of documented) {
    expect(meaningText, code).toMatch(/^[A-Z].*\.$/)
    expect(remedy, code).toMatch(/^[A-Z].*\.$/)
  }
})

it('the source gives every code', () => {
  const texts = readSourceFiles(['src'])
    .filter(({ path }) => !path.endsWith('.test.ts') && !path.endsWith('/error-response.ts'))
    .map(({ text }) => text)
  expect(errorCodes.filter((code) => !texts.some((text) => text.includes(`'${code}',`)))).toEqual([])
})

it('codes of the main API are unique', () => {
  const names = errorCodes.map(errorResponseCode)
  expect(names).toEqual([...new Set(names)])
})

function withoutBackticks(cell: string): string {
  return cell.replaceAll('`', '')
}

function byCode<Row extends { readonly code: string }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => (a.code < b.code ? -1 : 1))
}
